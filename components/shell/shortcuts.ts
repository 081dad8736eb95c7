import { hrefOfKey } from "#components/shell/navigation.ts";

export type ShortcutAction =
	| { kind: "search" }
	| { kind: "palette" }
	| { kind: "help" }
	| { kind: "await_screen" }
	| { kind: "go"; href: string }
	| { kind: "none" };

export type KeyPress = {
	key: string;
	ctrlOrMeta: boolean;
	alt: boolean /** Focus is in a text field. */;
	typing: boolean /** `g` was pressed just before. */;
	afterG: boolean;
};

/** Maps a key to an action. Pure, so that shortcuts are tested without a browser. */
export function actionOfKey(press: KeyPress): ShortcutAction {
	if (press.ctrlOrMeta) return press.key.toLowerCase() === "k" && !press.alt ? { kind: "palette" } : { kind: "none" };
	if (press.typing || press.alt) return { kind: "none" };
	if (press.afterG) {
		const href = hrefOfKey(press.key.toLowerCase());
		if (href !== null) return { kind: "go", href };
	}
	if (press.key === "/") return { kind: "search" };
	if (press.key === "?") return { kind: "help" };
	if (press.key === "g") return { kind: "await_screen" };
	return { kind: "none" };
}
