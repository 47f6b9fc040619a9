import Foundation

/// A number that no two living threads share.
func threadNumber() -> UInt { UInt(bitPattern: pthread_self().hashValue) }
