import Foundation

private let isSuperuser = geteuid() == 0

/// A mount namespace of a test's own. The superuser makes one; another user makes a user namespace around it.
public enum MountNamespace {
    /// The options of `unshare` before the program.
    public static let making: [String] = [isSuperuser ? "-m" : "-Urm"]
    /// The options of `nsenter` after the process whose namespace it is.
    public static let entering: [String] = isSuperuser ? ["-m"] : ["-U", "-m", "--preserve-credentials"]
    /// Whether this machine lets the tests make one.
    public static let isAvailable =
        ChildProcess.exists("nsenter")
        && (try? ChildProcess.run("unshare", making + ["mount", "-t", "tmpfs", "tmpfs", "/tmp"], in: "/")) != nil
}

/// A user who has no right to a folder: another user than the superuser, or else the one who runs the tests, against
/// whom the folder's mode is set.
public enum Stranger {
    /// What starts a program as that user.
    public static let command: [String] =
        isSuperuser ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    /// The mode of a folder into which that user may look, and not write.
    public static let mayLook = isSuperuser ? 0o755 : 0o555
    /// The mode of a folder into which that user may not even look.
    public static let mayNothing = isSuperuser ? 0o700 : 0o000
}
