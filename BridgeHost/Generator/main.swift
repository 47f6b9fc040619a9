// To be run in the repository's folder.
GeneratedFile.writeAll()
