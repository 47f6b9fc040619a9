/** The arguments of a call of a usual size. */
export const event = (number) => [
    'PURCHASE',
    {
        total: 149.99, currency: 'EUR', items: [{ sku: 'A-1', qty: 2, name: 'Käse' }, { sku: 'B-22', qty: 1 }], gift: true,
        note: null, order: number,
    },
    { flow_id: 'checkout_v2', session_number: 17, screen: 'Übersicht', locale: 'de-AT' },
]
