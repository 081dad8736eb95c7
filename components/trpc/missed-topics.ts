import type { Change } from "#server/domain/change.ts";

type Topic = Change["topic"];

/** Remembers when each topic last changed, to find what a screen that was rendered earlier does not show. Any clock, in ms. */
export class MissedTopics {
	readonly #lastMs = new Map<Topic, number>();

	record(topics: Iterable<Topic>, atMs: number): void {
		for (const topic of topics) this.#lastMs.set(topic, atMs);
	}

	since(fromMs: number): Topic[] {
		return [...this.#lastMs].filter(([, atMs]) => atMs >= fromMs).map(([topic]) => topic);
	}
}
