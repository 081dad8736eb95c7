import { approval } from "#server/db/schema/approval.ts";
import { artifactIdOf } from "#server/kernel/ids.ts";
import { recordArtifact } from "#server/services/work/artifact/record.ts";
import { aJob, type Person, type RestWorld } from "./rest-world.ts";

/** The value of an environment variable of every job here. */
export const SECRET = "value-of-a-secret-variable";

export interface OneOfEach {
	jobId: string;
	attemptId: string;
	approvalId: string;
	artifactId: string;
	pipelineId: string;
	triggerId: string;
	templateId: string;
}

/** Adds one entity of each kind that belongs to a team, for research. */
export async function addOneOfEach(world: RestWorld, as: Person): Promise<OneOfEach> {
	const jobId = await submitWithSecret(world, as);
	const attemptId = await world.start(jobId);
	await world.log(attemptId, "line");
	const approvalId = await addApproval(world, await submitWithSecret(world, as));
	const artifactId = artifactIdOf(jobId, 1, 0);
	await recordArtifact(world.database.db, {
		...{ id: artifactId, jobId, attemptId, team: "research", files: [], atMs: world.nowMs() },
		output: { name: "model", path: "out", kind: "model", when: "success", keepMs: null },
	});
	const pipelineId = String((await world.post("/pipelines", A_PIPELINE, { as })).json.id);
	const triggerId = String((await world.post("/triggers", A_TRIGGER, { as })).json.id);
	const templateId = String((await world.post("/templates", { document: A_PIPELINE }, { as })).json.id);
	return { jobId, attemptId, approvalId, artifactId, pipelineId, triggerId, templateId };
}

const A_PIPELINE = {
	...{ apiVersion: "spillway/v1", kind: "Pipeline", metadata: { name: "matrix", team: "research" } },
	spec: { steps: [{ name: "train", job: { command: ["true"], env: { API_KEY: SECRET } } }] },
};

const A_TRIGGER = {
	...{ apiVersion: "spillway/v1", kind: "Trigger", metadata: { name: "matrix", team: "research" } },
	spec: { webhook: {}, pipeline: A_PIPELINE },
};

export async function submitWithSecret(world: RestWorld, as: Person): Promise<string> {
	return String((await world.post("/jobs", aJob({ spec: { env: { API_KEY: SECRET } } }), { as })).json.id);
}

async function addApproval(world: RestWorld, of: string): Promise<string> {
	const at = new Date(world.nowMs());
	const machine = { capacityType: "on_demand" as const, instanceType: "g5.xlarge", accelerator: "A10G-24GB" };
	const quote = {
		placement: { ...{ siteId: "aws", provider: "aws" as const, region: "us-east-1", zone: null, poolId: null }, ...machine },
		...{ costMicroUsd: "1000000", hourlyMicroUsd: "1000000", startP50Ms: 0, homeStartP50Ms: null, emissionsGrams: null, decisionId: null },
	};
	await world.database.db.insert(approval).values({
		...{ id: "appr_matrix", jobId: of, ruleId: "ask", role: "finance" as const, quote, state: "open" as const },
		...{ policyName: "default", policyVersion: 1, requestedAt: at, expiresAt: new Date(at.getTime() + 3_600_000) },
	});
	return "appr_matrix";
}
