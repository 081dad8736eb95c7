const WIDTH = 24;
/** Minimum time between draws: a terminal is slow. */
const DRAW_EVERY_MS = 100;

/** One line on a terminal, redrawn in place; draws nothing if the stream is no terminal. */
export class ProgressBar {
	readonly #out: { write(text: string): unknown; isTTY?: boolean } | null;
	readonly #nowMs: () => number;
	#drawnAtMs = Number.NEGATIVE_INFINITY;

	constructor(out: { write(text: string): unknown; isTTY?: boolean }, options: { enabled: boolean; nowMs: () => number }) {
		this.#out = options.enabled && out.isTTY === true ? out : null;
		this.#nowMs = options.nowMs;
	}

	draw(label: string, done: number, total: number): void {
		if (!this.#out) return;
		const nowMs = this.#nowMs();
		if (done < total && nowMs - this.#drawnAtMs < DRAW_EVERY_MS) return;
		this.#drawnAtMs = nowMs;
		const share = total > 0 ? Math.min(1, done / total) : 1;
		const filled = Math.round(share * WIDTH);
		const bar = "█".repeat(filled) + "░".repeat(WIDTH - filled);
		this.#out.write(`\r\u001b[2K${bar} ${String(Math.floor(share * 100)).padStart(3)}%  ${label}`);
	}

	clear(): void {
		this.#out?.write("\r\u001b[2K");
	}
}
