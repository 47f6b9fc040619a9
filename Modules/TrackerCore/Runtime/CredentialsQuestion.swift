import Synchronization
import TrackerModels
import TrackerNetworking

/// A question for credentials that is open: nothing is sent until it is answered, or its time is over.
struct CredentialsQuestion: Sendable {
    /// How long the program may take.
    static let patience = Duration.seconds(10)

    let number: Int
    /// The run that waits.
    let run: Int
    /// Why delivery halts without other credentials, and when it is tried again; `nil` if it does not halt by itself.
    let refusal: (message: String, nextTry: Duration?)?
    /// Whether it keeps the lane back.
    let pauses: Bool
    var timer: TimerID?
}

/// What a client asks the program with, and the questions so far.
struct CredentialsSource: Sendable {
    /// Asks a program in another language; its answer comes by ``ClientControl/setCredentials(_:)``. The text says why.
    var notify: (@Sendable (String?) -> Void)?
    /// The question that is open.
    var question: CredentialsQuestion?
    var questions = 0
    /// How many there had been when the program last set credentials: their answers are older than these.
    var answered = 0
    /// The last call of the program's function: the next one waits for its end.
    var call: Task<Void, Never>?
    /// What was set before there was a run that could use it.
    var kept: (key: Secret?, headers: ExtraHeaders?)?
}

// What happens once in hours need not be compiled for each kind of client: it would add 30 KB to a host.
extension ClientRuntime {
    // MARK: What is set

    @_semantics("optimize.sil.specialize.generic.never")
    func setCredentials(_ credentials: Credentials) throws(TrackerError) {
        let parts = try credentials.checked()
        var (fault, isLacking): (TrackerError?, Bool) = (nil, false)
        handle { contents in
            let settings = contents.state.run?.settings
            if parts.key != nil, settings?.delivery.keyFile != nil {
                fault = FieldCheck.fault("key", .excluded(by: "keyFile"))
            } else if let settings, contents.state.isRunning, parts.key == nil, settings.key.isEmpty {
                fault = FieldCheck.fault("key", .required(example: nil))
            } else if let reason = parts.headers.flatMap({ settings?.fault(of: $0) }) {
                fault = FieldCheck.fault("headers", reason)
            } else {
                let isRenewed = contents.state.renew(with: { $0.take(parts) })
                isLacking = !isRenewed && settings?.key.isEmpty == true
                if !isRenewed || contents.state.isBrandEnded {
                    let kept = contents.credentials.kept
                    contents.credentials.kept = (parts.key ?? kept?.key, parts.headers ?? kept?.headers)
                }
            }
            // What answers an earlier question, late, counts no more.
            if fault == nil { contents.credentials.answered = contents.credentials.questions }
        }
        if let fault { throw fault }
        log.verbose(.info) { "The program has set credentials: they are used from now on." }
        close(
            contents.withLock { $0.credentials.question.take() },
            lacking: isLacking ? "There is no key: the one that was given is for the next initialize" : nil)
    }

    /// Reads the key file of a run again, and goes on with its key if that is another one.
    ///
    /// - Returns: Whether it is.
    @_semantics("optimize.sil.specialize.generic.never")
    @discardableResult
    func renewKey(of number: Int) -> Bool {
        guard let run, run.number == number, let file = run.lane.keyFile,
            let key = file.key(else: {
                log.log(.warning, "The key stays as it was: \($0.sentence(naming: "keyFile"))")
            }),
            key != run.settings.key || run.lane.hasOtherKey(than: key)
        else { return false }
        log.verbose(.info) { "The key file has another key: it is used from now on." }
        return renew(number) { $0.key = key }
    }

    @_semantics("optimize.sil.specialize.generic.never")
    private func renew(
        _ number: Int, answering question: Int = .max, _ change: @Sendable (inout Model.Settings) -> Void
    ) -> Bool {
        var isRenewed = false
        handle { contents in
            // Others may have been set since, which count.
            guard contents.state.run?.number == number, question > contents.credentials.answered else { return }
            isRenewed = contents.state.renew(with: change)
        }
        return isRenewed
    }

    // MARK: What is asked

    /// Asks at the start of a run. A program that has given a key by other means is asked only by its own function.
    func askAtStart(of run: Run) {
        if run.settings.credentials != nil || run.settings.key.isEmpty { ask(run.number) }
    }

    /// Asks the program for credentials. Delivery of the run pauses until it answers, or until its time is over; a shared
    /// lane that has the key of another client goes on with that.
    ///
    /// - Parameter refusal: Why delivery halts without an answer, and when it is tried again.
    /// - Returns: Whether there is anybody to ask.
    @_semantics("optimize.sil.specialize.generic.never")
    @discardableResult
    func ask(_ run: Int, after refusal: (message: String, nextTry: Duration?)? = nil) -> Bool {
        // Where calls are only recorded, nothing needs a key.
        guard dependencies.recorder == nil else { return false }
        let begun = contents.withLock { contents -> (run: Run, number: Int, notify: (@Sendable (String?) -> Void)?)? in
            guard let current = contents.state.run, current.number == run,
                current.settings.credentials != nil || contents.credentials.notify != nil
            else { return nil }
            contents.credentials.questions += 1
            let number = contents.credentials.questions
            let key = current.settings.key
            let isServed = refusal == nil && key.isEmpty && current.lane.hasOtherKey(than: key)
            // One that is open may have paused the lane already.
            let isPaused = contents.credentials.question.map { $0.run == run && $0.pauses } ?? false
            if !isPaused, !isServed { current.lane.pause(cancelling: false) }
            contents.credentials.question = CredentialsQuestion(
                number: number, run: run, refusal: refusal, pauses: isPaused || !isServed)
            return (current, number, contents.credentials.notify)
        }
        guard let (run, number, notify) = begun else { return false }
        let loop = run.lane.loop
        let timer = loop.schedule(at: loop.now.advanced(by: CredentialsQuestion.patience)) { [weak self] in
            self?.fail(number, "did not answer within \(FieldCheck.text(CredentialsQuestion.patience))")
        }
        let isOpen = contents.withLock { contents in
            guard contents.credentials.question?.number == number else { return false }
            contents.credentials.question?.timer = timer
            return true
        }
        if !isOpen { loop.cancel(timer) }
        if let provider = run.settings.credentials {
            call(provider, for: number, of: run.number)
        } else {
            notify?(refusal?.message)
        }
        return true
    }

    /// Calls the program's function, once its last call has ended.
    @_semantics("optimize.sil.specialize.generic.never")
    private func call(_ provider: @escaping CredentialsProvider, for number: Int, of run: Int) {
        contents.withLock { contents in
            let last = contents.credentials.call
            // The task ends with the function, which is cancelled when the time is over.
            contents.credentials.call = Task { [weak self] in
                await last?.value
                guard self?.isOpen(number) == true else { return }
                do {
                    self?.take(try await provider(), for: number, of: run)
                } catch {
                    // What an error of the program says may be secret.
                    self?.fail(number, "has thrown \(type(of: error))")
                }
            }
        }
    }

    private func isOpen(_ number: Int) -> Bool { contents.withLock { $0.credentials.question?.number == number } }

    /// Takes the answer of the program's function. One that comes late is used as well, unless others were set since.
    @_semantics("optimize.sil.specialize.generic.never")
    private func take(_ credentials: Credentials, for number: Int, of run: Int) {
        let parts: (key: Secret?, headers: ExtraHeaders?)
        do throws(TrackerError) {
            parts = try credentials.checked()
        } catch {
            return fail(number, "has given what cannot be used. \(error.message)")
        }
        let (current, answered) = contents.withLock { ($0.state.run, $0.credentials.answered) }
        guard let current, current.number == run, number > answered else { return }
        var settings = current.settings
        settings.take(parts)
        if let reason = settings.fault(of: settings.headers) {
            return fail(number, "has given what cannot be used. \(reason.sentence(naming: "headers"))")
        }
        guard !settings.key.isEmpty else { return fail(number, "has given no key") }
        if settings.key == current.settings.key, settings.headers == current.settings.headers {
            let isRefused = contents.withLock { $0.credentials.question?.refusal } != nil
            return isRefused
                ? fail(number, "has given the credentials that the server refuses") : close(takeQuestion(number))
        }
        log.verbose(.info) { "'credentials' has given others: they are used from now on." }
        // It answers a later question as well.
        if renew(run, answering: number, { $0.take(parts) }) {
            close(contents.withLock { $0.credentials.question.take() })
        }
    }

    private func takeQuestion(_ number: Int) -> CredentialsQuestion? {
        contents.withLock { contents in
            contents.credentials.question?.number == number ? contents.credentials.question.take() : nil
        }
    }

    /// Ends a question that has brought nothing: delivery goes on as if there were nobody to ask.
    @_semantics("optimize.sil.specialize.generic.never")
    private func fail(_ number: Int, _ reason: String) {
        guard let question = takeQuestion(number), let run, run.number == question.run else { return }
        log.log(.warning, "The credentials stay as they were: 'credentials' \(reason)")
        let key = run.settings.key
        // On a shared lane another client may have one.
        let lack = key.isEmpty && !run.lane.hasOtherKey(than: key) ? "There is no key: 'credentials' \(reason)" : nil
        if lack == nil, let refusal = question.refusal ?? run.lane.refusal { halt(run.number, refusal) }
        close(question, lacking: lack)
    }

    /// Ends a question: delivery goes on.
    ///
    /// - Parameter lack: Why there is no key; delivery halts then.
    @_semantics("optimize.sil.specialize.generic.never")
    private func close(_ question: CredentialsQuestion?, lacking lack: String? = nil) {
        guard let question else { return }
        let (run, call) = contents.withLock { ($0.state.run, $0.credentials.call) }
        call?.cancel()
        guard let run, run.number == question.run else { return }
        if let timer = question.timer { run.lane.loop.cancel(timer) }
        if question.pauses { run.lane.release(withoutKey: lack) }
    }

    /// Delivery has halted: says so, and until when.
    @_semantics("optimize.sil.specialize.generic.never")
    func halt(_ number: Int, _ refusal: (message: String, nextTry: Duration?)) {
        handle { $0.state.halted(number) }
        // One client speaks for all that share the lane.
        guard run?.lane.isLeading ?? true else { return }
        log.log(.error, DeliveryState.Halt.sentence(refusal.message, nextTry: refusal.nextTry))
    }
}

extension ClientSettings {
    /// Goes on with other credentials; what they leave out stays.
    mutating func take(_ parts: (key: Secret?, headers: ExtraHeaders?)) {
        if let key = parts.key, delivery.keyFile == nil { self.key = key }
        if let headers = parts.headers { self.headers = headers }
    }
}
