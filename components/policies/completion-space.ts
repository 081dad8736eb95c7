import type { EditorView, Rect } from "@codemirror/view";

/** Less than three entries of the list are too few to choose from. */
const LEAST_PX = 84;

/** Space for the completion list: up to the nearest messages above and below the cursor, so that it covers none. */
export function completionSpace(view: EditorView): Rect {
	const { innerWidth, innerHeight } = view.dom.ownerDocument.defaultView ?? window;
	const cursor = view.coordsAtPos(view.state.selection.main.head);
	const viewport = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
	if (!cursor) return viewport;
	const messages = [...view.dom.querySelectorAll(".spw-problem")].map((box) => box.getBoundingClientRect());
	return freeSpace(viewport, cursor, messages);
}

type Span = Pick<Rect, "top" | "bottom">;

/** The window without messages. Between two messages that leave no room for a list, the one above gives way. */
export function freeSpace(viewport: Rect, cursor: Span, messages: readonly Span[]): Rect {
	const below = messages.filter(({ top }) => top >= cursor.bottom - 1).map(({ top }) => top);
	const above = messages.filter(({ bottom }) => bottom <= cursor.top + 1).map(({ bottom }) => bottom);
	const bottom = Math.min(viewport.bottom, ...below);
	const top = Math.max(viewport.top, ...above);
	const hasRoom = Math.max(bottom - cursor.bottom, cursor.top - top) >= LEAST_PX;
	return { ...viewport, bottom, top: hasRoom ? top : viewport.top };
}
