import TestSupport

/// A certificate authority of a test's own, with the certificates that it has signed for 127.0.0.1.
final class Authority: Sendable {
    private let directory: TemporaryDirectory

    /// Makes the authority's key and certificate.
    init() async throws {
        directory = try TemporaryDirectory()
        try await openssl(
            "req", "-x509", "-nodes", "-subj", "/CN=Test Authority", "-days", "2", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:prime256v1", "-keyout", "ca.key", "-out", "ca.pem", "-addext",
            "basicConstraints=critical,CA:TRUE")
        try await openssl(
            "req", "-nodes", "-subj", "/CN=server", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
            "-keyout", "server.key", "-out", "server.csr", "-addext", "subjectAltName=IP:127.0.0.1")
        for (name, days) in [("server", "2"), ("expired", "-1")] {
            try await openssl(
                "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days",
                days, "-copy_extensions", "copy", "-out", "\(name).pem")
        }
    }

    /// The path of the authority's certificate.
    var bundle: String { directory.path("ca.pem") }

    /// Makes a certificate for a client, signed by the authority.
    ///
    /// - Returns: The paths of the certificate and of its key.
    func client(_ name: String = "client") async throws -> (certificate: String, key: String) {
        try await openssl(
            "req", "-nodes", "-subj", "/CN=\(name)", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
            "-keyout", "\(name).key", "-out", "\(name).csr")
        try await openssl(
            "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-out", "\(name).pem")
        return (directory.path("\(name).pem"), directory.path("\(name).key"))
    }

    /// Encrypts a key.
    ///
    /// - Returns: The path of the encrypted one.
    func encrypted(_ key: String) async throws -> String {
        try await openssl("ec", "-in", key, "-aes256", "-passout", "pass:word", "-out", "encrypted.key")
        return directory.path("encrypted.key")
    }

    /// Starts a TLS server with one of the certificates, `server` or `expired`, that answers every GET with 200.
    ///
    /// - Parameter demandsClient: Whether it takes only clients that show a certificate of the authority.
    func server(
        _ certificate: String = "server", demandsClient: Bool = false
    ) async throws -> (process: ChildProcess, url: String) {
        let demand = demandsClient ? ["-Verify", "1", "-verify_return_error", "-CAfile", "ca.pem"] : []
        let process = try ChildProcess(
            "openssl",
            ["s_server", "-accept", "127.0.0.1:0", "-cert", "\(certificate).pem", "-key", "server.key", "-www"]
                + demand,
            in: directory.path)
        return (process, "https://" + (try await process.line(beginningWith: "ACCEPT ")))
    }

    /// Starts a server that speaks HTTP/2 over TLS, and answers with the protocol, the body and the connection's number.
    ///
    /// Some bodies have it do something else, once: `goaway`, `goaway-error`, `destroy` and `reset` end the connection or
    /// the stream; `always` does each time. `never` is not answered. `slow` is when `release` is, with
    /// the number of such requests.
    func http2Server() async throws -> (process: ChildProcess, url: String) {
        let script = """
            const fs = require('fs')
            let connections = 0
            const server = require('http2').createSecureServer(
                { key: fs.readFileSync('server.key'), cert: fs.readFileSync('server.pem'), allowHTTP1: true },
                (request, response) => {
                    let body = ''
                    request.on('data', chunk => { body += chunk })
                    request.on('end', () => answer(request, response, body))
                })
            const done = new Set()
            let waiting = []
            let slow = 0
            function answer(request, response, body) {
                const end = () => response.end(`${request.httpVersion} ${body} ${connections}`)
                const session = response.stream && response.stream.session
                if (body === 'never') return
                if (body === 'slow') { slow += 1; return waiting.push(() => response.end(`slow ${slow}`)) }
                if (body === 'release') { for (const end of waiting) end(); waiting = [] }
                if (body === 'always') return session.destroy()
                if (done.has(body) || !session) return end()
                done.add(body)
                const { NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_INTERNAL_ERROR } = require('http2').constants
                if (body === 'goaway') { session.goaway(0, response.stream.id - 2); session.destroy(); return }
                if (body === 'goaway-error') { session.goaway(NGHTTP2_ENHANCE_YOUR_CALM); session.destroy(); return }
                if (body === 'destroy') return session.destroy()
                if (body === 'reset') return response.stream.close(NGHTTP2_INTERNAL_ERROR)
                end()
            }
            server.on('secureConnection', () => { connections += 1 })
            server.listen(0, '127.0.0.1', () => console.log('ACCEPT 127.0.0.1:' + server.address().port))
            """
        let process = try ChildProcess("node", ["-e", script], in: directory.path)
        return (process, "https://" + (try await process.line(beginningWith: "ACCEPT ")))
    }

    private func openssl(_ arguments: String...) async throws {
        try await onThread { [directory] in try ChildProcess.run("openssl", arguments, in: directory.path) }
    }
}

extension ChildProcess {
    /// Waits for a line of output that begins so.
    ///
    /// - Returns: The rest of it.
    func line(beginningWith prefix: String) async throws -> String {
        var count = 1
        while true {
            let all = try await lines.values(atLeast: count)
            if let line = all.first(where: { $0.hasPrefix(prefix) }) { return String(line.dropFirst(prefix.count)) }
            count = all.count + 1
        }
    }
}
