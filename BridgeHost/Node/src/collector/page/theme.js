// Runs before the page is drawn, so that it never flashes in the wrong colours.
const theme = localStorage.getItem('collector-theme')
if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme
