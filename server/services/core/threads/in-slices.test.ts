import { afterEach, expect, it, vi } from "vitest";
import { inSlices } from "./in-slices.ts";

afterEach(() => vi.restoreAllMocks());

it("answers other requests between slices", async () => {
	let nowMs = 0;
	vi.spyOn(performance, "now").mockImplementation(() => nowMs);
	const seen: string[] = [];
	const work = function* () {
		for (let i = 0; i < 4; i++) {
			setImmediate(() => seen.push("request"));
			nowMs += 10;
			seen.push(`part ${i}`);
			yield;
		}
		return "done";
	};
	expect(await inSlices(work())).toBe("done");
	expect(seen).toEqual(["part 0", "part 1", "request", "request", "part 2", "part 3", "request", "request"]);
});
