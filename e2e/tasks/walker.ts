import { expect, type Page } from "@playwright/test";
import { type Person, waitForControls } from "../support/people.ts";
import type { TaskDemo } from "./task-demo.ts";

/** What a task needs: the page of a signed-in person on Overview, and the demo for its preparation, which is not counted. */
export interface Walk {
	page: Page;
	demo: TaskDemo;
}

export interface Task {
	title: string;
	/** Creates what the task is about, before the counting starts. */
	prepare?: (walk: Walk) => Promise<void>;
	/** Uses only visible controls, and ends when the result is visible. */
	run: (walk: Walk) => Promise<void>;
}

/** `fields`: text fields, lists and files that were filled. `keys`: keys pressed outside of them. */
interface Effort {
	clicks: number;
	fields: number;
	keys: number;
}

export interface WalkedTask extends Effort {
	person: Person;
	title: string;
	seconds: number;
}

const BINDING = "spillwayCountEffort";

/** Counts what the browser itself reports, so that no step of a task can be left out. */
export class EffortMeter {
	#effort: Effort = { clicks: 0, fields: 0, keys: 0 };
	readonly #page: Page;

	private constructor(page: Page) {
		this.#page = page;
	}

	static async on(page: Page): Promise<EffortMeter> {
		const meter = new EffortMeter(page);
		await page.exposeFunction(BINDING, (kind: keyof Effort) => {
			meter.#effort[kind]++;
		});
		await page.addInitScript(reportEffort, BINDING);
		return meter;
	}

	reset(): void {
		this.#effort = { clicks: 0, fields: 0, keys: 0 };
	}

	async read(): Promise<Effort> {
		// The calls of earlier events arrive before this answer.
		await this.#page.evaluate(() => undefined);
		return { ...this.#effort };
	}
}

/** Runs in the page. */
function reportEffort(binding: string): void {
	const count = (kind: keyof Effort) => {
		const report: unknown = Reflect.get(window, binding);
		if (typeof report === "function") report(kind);
	};
	const isTyping = (target: EventTarget | null) =>
		target instanceof HTMLElement &&
		(target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=radio])"));
	const filled = new WeakSet<EventTarget>();
	addEventListener("pointerdown", ({ isTrusted }) => isTrusted && count("clicks"), true);
	addEventListener("keydown", ({ target, isTrusted, key }) => isTrusted && (!isTyping(target) || key === "Enter") && count("keys"), true);
	addEventListener("drop", () => count("fields"), true);
	addEventListener(
		"input",
		({ target }) => {
			if (!target || !isTyping(target) || filled.has(target)) return;
			filled.add(target);
			count("fields");
		},
		true,
	);
}

/** Starts on Overview, and measures until the result is visible. */
export async function walkTask(person: Person, task: Task, walk: Walk, meter: EffortMeter): Promise<WalkedTask> {
	await task.prepare?.(walk);
	await walk.page.goto("/");
	await expect(walk.page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
	await waitForControls(walk.page);
	meter.reset();
	const startedMs = performance.now();
	await task.run(walk);
	const seconds = (performance.now() - startedMs) / 1_000;
	return { person, title: task.title, ...(await meter.read()), seconds };
}
