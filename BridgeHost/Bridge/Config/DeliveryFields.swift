import TrackerModels

/// The keys of the options that all clients share.
enum DeliveryFields {
    /// They stand among a client's own keys.
    static let table = ConfigTable<DeliveryOptions>(
        DeliveryOptions.all.map { option in
            ConfigField(
                option, in: DeliveryOptions(), summary: option.name == "storageDirectory" ? storageDirectory : nil)
        }
    )

    private static let storageDirectory =
        "The state folder; by default the host's `--storage-dir`, else `$XDG_STATE_HOME/mobile-tracker/<app>`, else "
        + "`~/.local/state/mobile-tracker/<app>`, where `<app>` is the host's `--app-name`."
}
