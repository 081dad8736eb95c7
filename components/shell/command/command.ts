import type { IconName } from "#components/ui/icon.tsx";

/** Action of Enter on a result. */
export type CommandAct =
	| { kind: "open"; href: string }
	/** Requires a second Enter, then calls the server. */
	| { kind: "approve" | "cancel"; id: string; name: string }
	| { kind: "theme"; theme: "light" | "dark" | "system" }
	| { kind: "shortcuts" };

export interface Command {
	id: string;
	label: string;
	/** Kind of entity, shown at the right. */
	detail?: string;
	icon: IconName;
	/** Keys that do the same. */
	keys?: readonly string[];
	act: CommandAct;
}
