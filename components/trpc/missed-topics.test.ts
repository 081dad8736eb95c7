import { beforeEach, expect, it, vi } from "vitest";
import { MissedTopics } from "./missed-topics.ts";
import { notePrefetch, takePrefetch } from "./prefetched-screens.ts";

beforeEach(() => vi.useRealTimers());

it("finds the topics that changed since a screen was rendered, and no older ones", () => {
	const missed = new MissedTopics();
	missed.record(["job", "spend"], 100);
	missed.record(["job"], 250);
	expect(missed.since(50)).toEqual(["job", "spend"]);
	expect(missed.since(200)).toEqual(["job"]);
	expect(missed.since(251)).toEqual([]);
});

it("returns the earliest start that the router may still show, once, for the screen that was prefetched", () => {
	vi.useFakeTimers();
	notePrefetch("/jobs");
	const startMs = performance.now();
	vi.advanceTimersByTime(30_000);
	notePrefetch("/jobs");
	expect(takePrefetch("/spend")).toBeNull();
	expect(takePrefetch("/jobs")).toBe(startMs);
	expect(takePrefetch("/jobs")).toBeNull();
	notePrefetch("/jobs");
	vi.advanceTimersByTime(40_000);
	notePrefetch("/jobs");
	expect(takePrefetch("/jobs")).toBe(performance.now());
});
