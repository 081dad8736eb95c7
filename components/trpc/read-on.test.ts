import { expect, it } from "vitest";
import { readOn } from "./read-on.ts";

const lost = new Error("Bad gateway");
const pagesOf = (count: number, error: Error | null = null) => ({
	data: { pages: Array.from({ length: count }) },
	isError: error !== null,
	error,
});

function answers(...given: ReturnType<typeof pagesOf>[]) {
	let asked = 0;
	const fetch = () => Promise.resolve(given[Math.min(asked++, given.length - 1)] ?? pagesOf(0));
	return { fetch, asked: () => asked };
}

it("requests a page again if a refetch dropped it, and stops once it has arrived", async () => {
	const query = answers(pagesOf(2), pagesOf(2), pagesOf(3));
	expect(await readOn(2, query.fetch)).toBeNull();
	expect(query.asked()).toBe(3);
});

it("returns the failure, also that of a refetch which dropped the page", async () => {
	const failed = answers(pagesOf(2), pagesOf(2, lost));
	expect(await readOn(2, failed.fetch)).toBe(lost);
	expect(failed.asked()).toBe(2);
});

it("gives up with an error when each try was dropped", async () => {
	const stuck = answers(pagesOf(2));
	expect(await readOn(2, stuck.fetch)).toBeInstanceOf(Error);
	expect(stuck.asked()).toBe(5);
});
