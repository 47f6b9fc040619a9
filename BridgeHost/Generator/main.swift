#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Writes the files that are made from the method table, and the version into the manifests. To be run in the repository's folder.
for file in GeneratedFile.all + GeneratedFile.manifests {
    let url = URL(fileURLWithPath: file.path)
    // A file that is not there yet is made.
    let old = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    let new = file.text(replacing: old)
    guard new != old else { continue }
    do {
        try new.write(to: url, atomically: true, encoding: .utf8)
        print("wrote \(file.path)")
    } catch {
        print("cannot write \(file.path): \(error)")
    }
}
