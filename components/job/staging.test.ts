import { describe, expect, it } from "vitest";
import type { LogPage } from "#components/trpc/outputs.ts";
import { parseStaging } from "./staging.ts";

const log = (...texts: string[]): LogPage["lines"] =>
	texts.map((text, i) => ({ number: i + 1, at: "2026-11-21T12:00:00.000Z", stream: "spillway", text }));
const HALF = "staging s3://acme/claims: 1.5 GiB of 3.0 GiB (50%), 80.0 MiB/s";

describe("parseStaging", () => {
	it("returns the newest copy reported by the machine with its progress", () => {
		expect(parseStaging(log("staging s3://acme/claims: 10 bytes of 0 bytes, 10 bytes/s", HALF))).toEqual({
			...{ uri: "s3://acme/claims", text: "1.5 GiB of 3.0 GiB (50%), 80.0 MiB/s", share: 0.5 },
		});
		expect(parseStaging(log("staging s3://acme/claims: 10 bytes of 0 bytes, 10 bytes/s"))?.share).toBeNull();
	});

	it("ignores finished copies and lines written by the command itself", () => {
		expect(parseStaging(log(HALF, "staged s3://acme/claims: 3.0 GiB fetched in 40.1 s"))).toBeNull();
		expect(parseStaging(log(HALF).map((line) => ({ ...line, stream: "stdout" as const })))).toBeNull();
		expect(parseStaging([])).toBeNull();
	});
});
