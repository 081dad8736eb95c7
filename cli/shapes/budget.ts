import { z } from "zod";
import { micro } from "./parts.ts";

export const budgetShape = z.looseObject({
	id: z.string(),
	scope: z.string(),
	period: z.string(),
	periodEndMs: z.number(),
	atCap: z.string(),
	capMicroUsd: micro,
	postedMicroUsd: micro,
	heldMicroUsd: micro,
	freeMicroUsd: micro,
	forecast: z.looseObject({ lowMicroUsd: micro, expectedMicroUsd: micro, highMicroUsd: micro }).nullable(),
});

export const budgetDetailShape = budgetShape.extend({
	periodKey: z.string(),
	sentence: z.string(),
	machines: z.number(),
	teams: z.array(z.looseObject({ team: z.string(), postedMicroUsd: micro })),
	otherTeamsMicroUsd: micro,
	jobs: z.array(z.looseObject({ jobId: z.string(), name: z.string(), team: z.string(), state: z.string(), postedMicroUsd: micro })),
});

const capChange = { fromMicroUsd: micro, toMicroUsd: micro };

export const capChangedShape = z.discriminatedUnion("kind", [
	z.looseObject({ kind: z.literal("changed"), policyVersion: z.number(), ...capChange }),
	z.looseObject({ kind: z.literal("proposed"), proposalId: z.string(), ...capChange }),
]);
