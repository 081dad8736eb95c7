import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { settleSoon } from "./settle-soon.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function prefetching(key: string): { client: QueryClient; answer: (value: unknown) => void; fail: (error: Error) => void } {
	const client = new QueryClient();
	const { promise, resolve, reject } = Promise.withResolvers<unknown>();
	void client.prefetchQuery({ queryKey: [key], queryFn: () => promise, retry: false });
	return { client, answer: resolve, fail: reject };
}

it("waits until the prefetches have settled, also when one fails", async () => {
	const { client, answer } = prefetching("jobs");
	const settled = vi.fn();
	const waiting = settleSoon(client, 100).then(settled);
	await vi.advanceTimersByTimeAsync(50);
	expect(settled).not.toHaveBeenCalled();
	answer([1]);
	await waiting;
	expect(client.getQueryData(["jobs"])).toEqual([1]);
	const failing = prefetching("sites");
	const over = settleSoon(failing.client, 100);
	failing.fail(new Error("the database is unavailable"));
	await over;
	expect(failing.client.getQueryState(["sites"])?.status).toBe("error");
});

it("stops waiting at its limit", async () => {
	const { client } = prefetching("spend");
	const settled = vi.fn();
	void settleSoon(client, 100).then(settled);
	await vi.advanceTimersByTimeAsync(99);
	expect(settled).not.toHaveBeenCalled();
	await vi.advanceTimersByTimeAsync(1);
	expect(settled).toHaveBeenCalledOnce();
	expect(client.getQueryState(["spend"])?.status).toBe("pending");
});

it("does not wait without prefetches", async () => {
	await settleSoon(new QueryClient());
	expect(vi.getTimerCount()).toBe(0);
});
