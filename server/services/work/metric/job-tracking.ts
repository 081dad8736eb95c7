import { createHmac } from "node:crypto";
import { and, eq, isNull } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { DeliveredSecrets } from "#server/domain/job-secret.ts";
import type { Provider } from "#server/domain/vocabulary.ts";
import { isOnlyThisHost } from "#server/kernel/hosts.ts";
import type { JobActor } from "#server/services/core/context.ts";
import { sameSum } from "../agent/bootstrap.ts";

const PREFIX = "spj_";
const OWN_SETTING = /^MLFLOW_TRACKING_/;
const TOKEN_VARIABLE = "MLFLOW_TRACKING_TOKEN";

/** Where jobs log runs and metrics with the MLflow client, and the token that each attempt uses. */
export interface JobTracking {
	url: string;
	tokenOf(attemptId: string): string;
}

export function jobTracking(secretKey: string, url: string): JobTracking {
	return { url, tokenOf: (attemptId) => `${PREFIX}${attemptId}.${sumOf(secretKey, attemptId)}` };
}

/** Whether jobs of a site reach the address: a loopback address only where they are processes of this host. */
export function isReachableFrom(provider: Provider, url: string): boolean {
	return provider === "local" || !isOnlyThisHost(url);
}

function sumOf(secretKey: string, attemptId: string): string {
	return createHmac("sha256", secretKey).update(`tracking:${attemptId}`).digest("base64url");
}

interface AttemptInput {
	spec: JobSpec;
	secrets: DeliveredSecrets;
}

/**
 * Adds the variables that MLflow's client reads, the token as a secret. Unchanged if the job sets any of them itself. MLFLOW_RUN_ID is not
 * among them: the client rejects it in scripts that call set_experiment.
 */
export function withTracking({ spec, secrets }: AttemptInput, attemptId: string, tracking: JobTracking | undefined): AttemptInput {
	const named = [...Object.keys(spec.env), ...Object.keys(secrets.env)];
	if (!tracking || named.some((name) => OWN_SETTING.test(name))) return { spec, secrets };
	return {
		spec: {
			...spec,
			env: { ...spec.env, MLFLOW_TRACKING_URI: tracking.url },
			secrets: [...(spec.secrets ?? []), { name: "mlflow-tracking-token", env: TOKEN_VARIABLE }],
		},
		secrets: { ...secrets, env: { ...secrets.env, [TOKEN_VARIABLE]: tracking.tokenOf(attemptId) } },
	};
}

/** Whether a token is a job's rather than an account's. */
export function isJobToken(token: string): boolean {
	return token.startsWith(PREFIX);
}

/** The job of a token, as long as the attempt that received it is live; otherwise null. */
export async function jobOfToken(db: DbOrTx, secretKey: string, token: string): Promise<JobActor | null> {
	const [, attemptId, sum] = /^spj_(\w{1,64})\.([\w-]{43})$/.exec(token) ?? [];
	if (attemptId === undefined || sum === undefined || !sameSum(sum, sumOf(secretKey, attemptId))) return null;
	const [row] = await db
		.select({ jobId: attempt.jobId, team: attempt.team })
		.from(attempt)
		.where(and(eq(attempt.id, attemptId), isNull(attempt.finishedAt)));
	return row ? { kind: "job", jobId: row.jobId, teams: [row.team] } : null;
}
