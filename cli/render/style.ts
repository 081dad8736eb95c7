import type { Io } from "../io.ts";

export type Style = "dim" | "bold" | "red" | "green" | "yellow" | "blue";
const CODES: Record<Style, number> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34 };

export function styled(io: Pick<Io, "color">, style: Style | null, text: string): string {
	return io.color && style !== null && text !== "" ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text;
}

/** Words for a state, by how good it is. Color is never the only sign. */
export function styleOfState(state: string): Style | null {
	switch (state) {
		case "succeeded":
		case "healthy":
			return "green";
		case "failed":
		case "lost":
		case "unhealthy":
			return "red";
		case "held":
		case "interrupted":
		case "evicted":
		case "terminating":
			return "yellow";
		case "running":
		case "ready":
			return "blue";
		case "cancelled":
		case "terminated":
		case "disabled":
			return "dim";
		default:
			return null;
	}
}
