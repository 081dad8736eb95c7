import { type ChargeDraft, NO_AMOUNTS } from "#server/accounting/amounts.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { addMachine, type Books, T0, terminate } from "#server/services/ledger/charge/testing/books.ts";

/** A credit for a team's machine in the first hour of the ledger. */
export async function aRefund(books: Books, { team, microUsd }: { team: string; microUsd: bigint }): Promise<ChargeDraft> {
	const { instanceId, jobId, attemptId } = await addMachine(books, { team, project: "", class: "experimental", launchedMs: null });
	await terminate(books, instanceId);
	return {
		...NO_AMOUNTS,
		periodStartMs: T0,
		periodEndMs: T0 + HOUR_MS,
		dimensions: {
			...{ team, project: "", class: "experimental", siteId: "aws", provider: "aws", region: "eu-west-1" },
			...{ capacityType: "on_demand", accelerator: "A10G-24GB", kind: "adjustment" },
		},
		...{ jobId, attemptId, instanceId, allocationId: null, poolId: null, billLineId: null, correction: "refund" },
		listMicroUsd: microUsd,
		contractedMicroUsd: microUsd,
		effectiveMicroUsd: microUsd,
		billedMicroUsd: microUsd,
	};
}
