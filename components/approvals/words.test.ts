import { describe, expect, it } from "vitest";
import { answerWords, dollarsOf, outlookWords } from "./words.ts";

describe("approval text", () => {
	it("names the approvers and the usual response time", () => {
		const outlook = { role: "platform" as const, people: ["Ada", "Bo"], medianMs: 2_400_000, answered: 7 };
		expect(outlookWords(outlook)).toBe("Ada or Bo (platform engineer) can approve; half of 7 answers came within 40 min.");
		expect(outlookWords({ ...outlook, people: [], medianMs: null, answered: 0 })).toBe(
			"No one else of the role platform engineer can approve. No request was answered in the last 90 days.",
		);
		expect(outlookWords({ ...outlook, people: ["A", "B", "C", "D"] })).toContain("A, B and 2 others (platform engineer) can approve");
	});
	it("distinguishes a full approval from a capped one", () => {
		const quote = { costMicroUsd: "120000000" } as Parameters<typeof answerWords>[0]["quote"];
		expect(answerWords({ state: "granted", upToMicroUsd: "120000000", quote })).toBe("Approved");
		expect(answerWords({ state: "granted", upToMicroUsd: "90500000", quote })).toBe("Approved up to $90.50");
	});
	it("formats exact dollars", () => {
		expect(["120000000", "99500000", "4312", "0"].map(dollarsOf)).toEqual(["120", "99.5", "0.004312", "0"]);
	});
});
