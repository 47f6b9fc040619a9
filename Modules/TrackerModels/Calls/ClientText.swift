/// What clients in other languages say of their host and of themselves, as templates as those of ``FaultWord``.
///
/// `{path}` is the host's or the agent's, and `{how}` says how it ended, for the middle of a sentence.
package enum ClientText: String, CaseIterable, Sendable {
    // A host or an agent that is gone.
    case hostEnded, hostEndedTooOften, hostEndedUnexpectedly, hostNotStarted, hostNotStartedYet
    // How it ended, for the middle of a sentence.
    case bySignal, exitCode, connectionClosed, wasShutDown, lateStart
    // What it is called.
    case hostName, agentName
    /// `absent` is there if no agent listens at all.
    case agentNotReached
    case agentNotReachedYet
    // Why a host cannot be used here.
    case otherProtocol, otherPlatform, wrongArguments, oldLibrary, noLibrary, notRunnable, notExecutable, otherLibrary
    case noProgram, notStartable, noReason
    /// Without `places`, which are one `hostPlace` a line, it is the first sentence alone.
    case hostNotFound
    case hostPlace, hostRemedy, hostNamed
    // What has named a place.
    case fromOption, fromPackage, fromBundle, fromBuild
    // A host that does not do what it should.
    case hostSilent, hostAbandoned, hostSlow, agentSlow, strayLine, replayFailed
    // Why an agent cannot be used.
    case agentForbidden, notListening
    /// `folder` is there if it is one.
    case noSocket
    case longPath, agentRefuses, ignoredArguments
    // What the program's own functions do wrong.
    case filterFailed, noCall, unreadableCall, noCredentials, credentialsFailed
    /// `object` is there if all arguments are in one.
    case otherArguments
    // Its listeners.
    case noTopic, noListener, listenerFailed, notificationsLost
    // Values that are no part of the JSON.
    case omitted
    // Calls that fail.
    case callTooLarge, failedLater, unhandled
    /// `unsent` is there if the host had not received them.
    case lostAtEnd
    // The place of a call, behind a sentence, and that of an error.
    case at, errorAt
    // What a tracker for tests has lost.
    case recordForgotten, recordLost

    package var text: String {
        switch self {
        case .hostEnded: "The host ended[ before it answered {method}]: {how}."
        case .hostEndedTooOften:
            "The host ended 5 times within a minute. Until that minute is over it is not started again, and calls "
                + "fail. The last time: {how}."
        case .hostEndedUnexpectedly: "The host ended unexpectedly ({how})."
        case .hostNotStarted: "The host could not be started: {how}."
        case .hostNotStartedYet: "The host cannot be started now ({how}). This is tried again; calls wait."
        case .bySignal: "signal {signal}"
        case .exitCode: "exit code {code}"
        case .connectionClosed: "it has closed the connection"
        case .wasShutDown: "it was shut down"
        case .lateStart: "it did not start in time"
        case .hostName: "The host (process {pid})"
        case .agentName: "The agent at {path}"
        case .agentNotReached:
            "The agent at {path} could not be reached: {how}.[ Start it with: BridgeHost --listen {path}{absent}]"
        case .agentNotReachedYet:
            "The agent at {path} cannot be reached ({how}). This is tried again; calls wait."
        case .otherProtocol:
            "The host at {path} (version [{version}|unknown]) speaks protocol version [{theirs}|an unknown version], "
                + "this package speaks {ours}. Use the host that belongs to this version of the package."
        case .otherPlatform: "The host at {path} was built for {platform}, and this is {here}."
        case .wrongArguments: "The host at {path} rejects its arguments (`hostArguments`): {line}"
        case .oldLibrary: "The host at {path} needs GLIBC {version}, and the C library of this system is older."
        case .noLibrary: "The host at {path} needs the library {library}, which is not installed."
        case .notRunnable: "The system cannot run the host at {path}[: {line}]."
        case .notExecutable:
            "The host at {path} may not be executed: its file has no execute permission, or its disk is mounted with "
                + "noexec."
        case .otherLibrary:
            "The host at {path} needs another C library than this system has (it is built for glibc)."
        case .noProgram: "The host at {path} is not a program for this system."
        case .notStartable: "The host at {path} cannot be started: {how}."
        case .noReason: "The host gave no reason."
        case .agentForbidden:
            "This user may not connect to the agent at {path}: see its --listen-mode, and who may enter its folder."
        case .notListening: "There is no agent at {path}: it is no socket that listens."
        case .noSocket:
            "There is no agent at {path}: it is [a folder{folder}|a file], and no socket. Give the path that stands after --listen."
        case .longPath: "The path of the agent is too long for a socket: {path}"
        case .agentRefuses: "The agent at {path} refuses the connection: {how}"
        case .ignoredArguments:
            "`hostArguments` are not used: the agent at {path} was started with arguments of its own. Give them to the "
                + "agent, or leave them out."
        case .hostNotFound:
            "The host program was not found.[ These places were searched:\n{places}\n{remedy}]"
        case .hostPlace: "  {path} ({origin})"
        case .hostRemedy:
            "[{why} Or build|Build] it with \"make build\" in the repository, and say where it is with `hostPath` or the "
                + "environment variable MOBILE_TRACKER_HOST."
        case .hostNamed: "You named this place, so no other was searched: correct the path, or leave it out."
        case .fromOption: "option `hostPath`"
        case .fromPackage: "package"
        case .fromBundle: "beside the bundle"
        case .fromBuild: "{name} build"
        case .hostSilent:
            "[{host}|The host] has not answered for {seconds} s, and [1 call waits{one}|{calls} calls wait] for it: it was "
                + "stopped, or its disk does not answer."
        case .hostAbandoned:
            "The host has not answered for {seconds} s, and the program has nothing else to do. If the host goes on, it "
                + "stores what it has received."
        case .hostSlow: "The host at {path} did not answer within {seconds} s: is it the BridgeHost program?"
        case .agentSlow: "it did not answer within {seconds} s"
        case .strayLine:
            "The host sent a line that is neither a notification nor the answer to a call. It is started again."
        case .replayFailed: "{method} failed after the host was started: {error}"
        case .filterFailed: "`beforeSend` has failed: {error}"
        case .noCall: "`beforeSend` must return the call, or `null` to drop it, and no {promise}"
        case .unreadableCall: "`beforeSend` has returned what cannot be read: {error}"
        case .noCredentials: "The function credentials gave none to {client}: {why}"
        case .credentialsFailed: "it has failed with {error}"
        case .otherArguments:
            "The arguments are [not one object{object}|in another order than in Segment's package]: write {call}."
        case .noTopic: "There is no topic '{topic}', only {topics}."
        case .noListener: "The listener must be a function."
        case .listenerFailed: "A listener[ to {topic}] failed: {error}"
        case .notificationsLost: "{count} notifications were left out: they were not read in time."
        case .omitted:
            "'{option}' is of type {type}, which JSON does not have[; it and {count} like it are|; it is] left out"
        case .callTooLarge: "{method}: The call is too large. A message has at most {limit} bytes."
        case .failedLater: "{method}, which was called while tracking was off, failed: {why}"
        case .unhandled: "{method} failed, and its error was not handled: {error}{place}"
        case .lostAtEnd:
            "The program ended before the host had [received{unsent}|answered] [1 call{one}|{calls} calls]: what it has not "
                + "received is lost.[ Await shutdown() before process.exit().{unsent}]"
        case .at: " (at {place})"
        case .errorAt: "{error} at {place}"
        case .recordForgotten:
            "The calls of this test tracker are forgotten: {count} others were shut down after it. Ask before that."
        case .recordLost:
            "The host of this test tracker has ended, and the calls that it had recorded are lost. Call clear(), then make "
                + "the calls again."
        }
    }
}
