// Shows the progress of long steps: one live line on a terminal, plain lines elsewhere.
import process from "node:process";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 100;
const QUIET_MS = 1_000;
const REMIND_MS = 10_000;

/**
 * @param {{out?: {write(text: string): unknown, isTTY?: boolean, columns?: number}}} [options]
 * @returns `run(label, work)` shows the step while `work(update)` runs; `line(text)` prints between live lines.
 */
export function createProgress({ out = process.stdout } = {}) {
	const live = Boolean(out.isTTY) && !process.env.CI;
	const running = new Set();
	let frame = 0;
	let timer;

	const clear = () => {
		if (live) out.write("\r\x1b[2K");
	};
	const draw = () => {
		if (!live || running.size === 0) return;
		const text = [...running].map((step) => `${step.label}${step.detail ? ` (${step.detail})` : ""} ${seconds(step)}`).join(" · ");
		const width = (out.columns ?? 80) - 3;
		out.write(`\r\x1b[2K${FRAMES[frame++ % FRAMES.length]} ${text.length > width ? `${text.slice(0, width - 1)}…` : text}`);
	};
	const line = (text) => {
		clear();
		out.write(`${text}\n`);
		draw();
	};
	const remind = () => {
		for (const step of running) {
			const quietMs = performance.now() - step.saidAt;
			if (quietMs < (step.saidAt === step.startedAt ? QUIET_MS : REMIND_MS)) continue;
			line(`… ${step.label}${step.detail ? ` (${step.detail})` : ""} ${seconds(step)}`);
			step.saidAt = performance.now();
		}
	};

	async function run(label, work) {
		const now = performance.now();
		const step = { label, detail: "", startedAt: now, saidAt: now };
		running.add(step);
		timer ??= setInterval(live ? draw : remind, live ? FRAME_MS : 250);
		draw();
		let mark = "✗";
		try {
			const result = await work((detail) => {
				step.detail = detail;
			});
			mark = "✓";
			return result;
		} finally {
			running.delete(step);
			if (running.size === 0) {
				clearInterval(timer);
				timer = undefined;
			}
			line(`${mark} ${label} ${seconds(step)}`);
		}
	}
	return { run, line };
}

const seconds = (step) => `${((performance.now() - step.startedAt) / 1000).toFixed(1)} s`;
