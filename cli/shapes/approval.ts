import { z } from "zod";

const micro = z.string().regex(/^-?\d+$/);

export const approvalShape = z.looseObject({
	id: z.string(),
	state: z.enum(["open", "granted", "refused", "expired", "withdrawn"]),
	job: z.looseObject({ id: z.string(), name: z.string(), team: z.string(), submittedBy: z.string(), gpus: z.number() }),
	ruleId: z.string(),
	role: z.string(),
	quote: z.looseObject({
		placement: z.looseObject({ provider: z.string(), region: z.string().nullable(), instanceType: z.string().nullable() }),
		costMicroUsd: micro,
		hourlyMicroUsd: micro,
	}),
	requestedAt: z.string(),
	expiresAt: z.string(),
	upToMicroUsd: micro.nullable(),
	decidedBy: z.string().nullable(),
	note: z.string().nullable(),
	mayAnswer: z.boolean(),
});
export type ApprovalShape = z.infer<typeof approvalShape>;

export const answeredShape = z.looseObject({
	id: z.string(),
	jobId: z.string(),
	state: z.enum(["granted", "refused"]),
	upToMicroUsd: micro.nullable(),
});
