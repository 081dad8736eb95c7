import { expect, it } from "vitest";
import { channelDigest, digestTimeMs } from "./channel-digest.ts";

const at = (text: string) => Date.parse(text);
const next = (digest: "hourly" | "daily", zone: string, after: string) =>
	new Date(digestTimeMs(digest, zone, at(after)) ?? 0).toISOString();
const event = (title: string, kind: string, link = "/jobs/job_1") => ({ title, text: "Team risk.", link, event: kind });
const addressOf = (path: string) => `https://spillway.acme.test${path}`;

it("sends on the hour and at 8:00 of the zone, across the change to winter time", () => {
	expect(digestTimeMs("immediate", "UTC", at("2026-11-10T10:00:00Z"))).toBeNull();
	expect(next("hourly", "UTC", "2026-11-10T10:00:00Z")).toBe("2026-11-10T11:00:00.000Z");
	expect(next("hourly", "Asia/Kolkata", "2026-11-10T10:00:00Z")).toBe("2026-11-10T10:30:00.000Z");
	expect(next("daily", "Europe/Berlin", "2026-10-24T05:59:59Z")).toBe("2026-10-24T06:00:00.000Z");
	expect(next("daily", "Europe/Berlin", "2026-10-24T06:00:00Z")).toBe("2026-10-25T07:00:00.000Z");
});

it("lists finished work last, and links to the page of what it contains", () => {
	const { title, text, link } = channelDigest("daily", [event("Job a finished", "finished"), event("Job b failed", "failed")], addressOf);
	expect([title, link]).toEqual(["Daily digest: 2 events", "/jobs"]);
	expect(text).toBe(
		"- Job b failed. Team risk.\n  https://spillway.acme.test/jobs/job_1\n- Job a finished. Team risk.\n  https://spillway.acme.test/jobs/job_1",
	);
	expect(channelDigest("daily", [event("a", "failed"), event("b", "budget_threshold", "/budgets")], addressOf).link).toBe(
		"/budgets#alerts",
	);
});

it("fits in a message, and counts what it does not list", () => {
	const { title, text } = channelDigest(
		"hourly",
		Array.from({ length: 500 }, (_, i) => event(`Job train-${i} failed`, "failed")),
		addressOf,
	);
	expect(title).toBe("Hourly digest: 500 events");
	const listed = text.split("\n").filter((line) => line.startsWith("- ")).length;
	expect(text.length).toBeLessThan(2_500);
	expect(text).toMatch(new RegExp(`and ${500 - listed} more$`));
	expect(channelDigest("hourly", [event("x".repeat(5_000), "failed"), event("y", "failed")], addressOf).text).toContain("and 1 more");
});
