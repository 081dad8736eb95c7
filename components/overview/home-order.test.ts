import { describe, expect, it } from "vitest";
import type { JobView } from "#components/trpc/outputs.ts";
import { financeTasks } from "./finance-tasks.ts";
import { myJobs } from "./my-jobs.ts";

type Month = Parameters<typeof financeTasks>[0][number];
const month = (name: string, state: Month["state"], more: Partial<Month> = {}): Month => ({
	...{ month: name, fromMs: 0, toMs: 1, state, ledgerMicroUsd: 5_000_000n, closed: null },
	...more,
});

describe("financeTasks", () => {
	it("lists months to close and to sign, months without bills, and unexplained differences", () => {
		const closed = { totalMicroUsd: 4_000_000n, cloudMicroUsd: 1_000_000n, changedSince: null } as NonNullable<Month["closed"]>;
		const months = [
			month("2026-11", "open"),
			month("2026-10", "to_close"),
			month("2026-09", "closed", { closed }),
			month("2026-08", "signed"),
		];
		const reconciled = { providers: [{ provider: "aws", unexplainedMicroUsd: "2500000" }] } as Parameters<typeof financeTasks>[2];
		expect(
			financeTasks(months, [{ months: ["2026-10", "2026-08"] }], reconciled).map(({ title, microUsd, href }) => [title, microUsd, href]),
		).toEqual([
			["Close October 2026", 5_000_000n, "/statements/2026-10"],
			["Sign September 2026", 4_000_000n, "/statements/2026-09"],
			["Import bills of September 2026", 1_000_000n, "/statements"],
			["Explain the aws bill of October 2026", 2_500_000n, "/statements/2026-10/bills"],
		]);
	});
	it("is empty before the first month ended", () => expect(financeTasks([month("2026-11", "open")], [], null)).toEqual([]));
});

it("own jobs that wait come before running and ended ones", () => {
	const job = (id: string, state: JobView["state"], submittedAt = "2026-11-26T10:00:00.000Z") => ({ id, state, submittedAt }) as JobView;
	const jobs = [job("done", "succeeded"), job("runs", "running"), job("failed", "failed"), job("held", "held"), job("queued", "queued")];
	expect(myJobs(jobs).map(({ id }) => id)).toEqual(["held", "queued", "runs", "failed", "done"]);
});
