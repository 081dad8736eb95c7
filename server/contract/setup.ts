import { z } from "zod";
import { firstPolicyInput } from "#server/domain/first-policy.ts";
import { SETUP_STEPS, setupCompanyInput, skipStepInput } from "./inputs/setup.ts";
import { operation } from "./operation.ts";
import { policyCheckSchema } from "./outputs/policy.ts";

export const setup = {
	get: operation({
		method: "GET",
		path: "/setup",
		summary: "Read which set-up steps are done, skipped or open",
		permission: "account:manage",
		output: z.object({
			isStarted: z.boolean(),
			steps: z.record(z.enum(SETUP_STEPS), z.enum(["open", "done", "skipped"])),
			zone: z.string(),
			teams: z.array(z.string()),
			/** Names of the sites and stores that are set up. */
			clusters: z.array(z.string()),
			clouds: z.array(z.string()),
			stores: z.array(z.string()),
		}),
		procedure: "query",
	}),
	company: operation({
		method: "PUT",
		path: "/setup/company",
		summary: "Save the company's time zone, before the first charge",
		permission: "account:manage",
		input: setupCompanyInput,
		output: z.object({ zone: z.string() }),
		example: { zone: "Europe/Berlin" },
		procedure: "mutation",
	}),
	skip: operation({
		method: "POST",
		path: "/setup/skip",
		summary: "Skip a set-up step",
		permission: "account:manage",
		input: skipStepInput,
		output: z.object({ step: z.enum(SETUP_STEPS) }),
		example: { step: "team" },
		procedure: "mutation",
	}),
	policy: operation({
		method: "POST",
		path: "/setup/policy",
		summary: "Build the first policy from four answers, without saving it",
		permission: "policy:publish",
		input: firstPolicyInput,
		output: z.object({ source: z.string(), check: policyCheckSchema }),
		procedure: "query",
	}),
};
