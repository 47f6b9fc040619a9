#if canImport(UIKit)
    public import TrackerModels
    public import UIKit

    extension MobileTracker {
        /// Tracks a view controller as the screen that the user sees. Call it in `viewDidAppear(_:)`.
        ///
        /// The screen's name is the controller's title, or its type's name if it has none; the URL is the type's name,
        /// so that a controller that appears again at once is not tracked again.
        ///
        /// - Parameters:
        ///   - controller: The controller that has appeared.
        ///   - properties: Further facts about the view.
        @MainActor
        public func screenDidAppear(_ controller: UIViewController, properties: Properties? = nil) {
            let type = String(describing: type(of: controller))
            enqueue(.screenDidAppear(controller.title ?? type, url: type, properties: properties))
        }
    }
#endif
