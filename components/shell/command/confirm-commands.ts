import type { Command, CommandAct } from "./command.ts";

const KEEP = "confirm-keep";

/** Whether the command spends or ends something, and so needs a second Enter. */
export function needsConfirmation(act: CommandAct): act is Extract<CommandAct, { kind: "approve" | "cancel" }> {
	return act.kind === "approve" || act.kind === "cancel";
}

/** The two rows that confirm or dismiss a command. `act` is null for the row that returns to the results. */
export function confirmRows(command: Command): { command: Command; act: CommandAct | null }[] {
	const { act } = command;
	if (!needsConfirmation(act)) return [];
	const detail = act.kind === "approve" ? "at the quoted price" : "cannot be undone";
	const label = act.kind === "approve" ? `Yes, approve ${act.name}` : `Yes, cancel ${act.name}`;
	return [
		{ command: { ...command, id: "confirm-yes", label, detail }, act },
		{ command: { id: KEEP, label: "Back", icon: "chevronLeft", act }, act: null },
	];
}
