import { z } from "zod";
import { writeSecretFiles } from "#server/agent/secret-files.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { DeliveredSecrets } from "#server/domain/job-secret.ts";
import { type AttemptFolder, readIfThere, writeWhole } from "./attempt-folder.ts";

const environmentSchema = z.record(z.string(), z.string());

/**
 * Written before the request, so that any process that continues an attempt finds them. `environment` serializes the variables.
 */
export async function writeSecrets(
	paths: AttemptFolder,
	{ env, files }: DeliveredSecrets,
	environment: (env: Readonly<Record<string, string>>) => string,
): Promise<void> {
	await writeSecretFiles(paths.secrets, files);
	if (Object.keys(env).length > 0) await writeWhole(paths.secretEnvironment, environment(env));
}

/** @throws Error if the job has secret variables that no longer exist */
export async function readSecretEnvironment(paths: AttemptFolder, spec: Pick<JobSpec, "secrets">): Promise<Record<string, string>> {
	if (!hasSecretEnvironment(spec)) return {};
	const text = await readIfThere(paths.secretEnvironment);
	if (text === null) throw new Error("the job's secrets are missing from its folder");
	return environmentSchema.parse(JSON.parse(text));
}

export function hasSecretEnvironment({ secrets = [] }: Pick<JobSpec, "secrets">): boolean {
	return secrets.some((ref) => "env" in ref);
}

/** SPILLWAY_SECRETS_DIR; undefined for a job without secret files. */
export function secretsFolderOf(paths: AttemptFolder, { secrets = [] }: Pick<JobSpec, "secrets">): string | undefined {
	return secrets.some((ref) => "file" in ref) ? paths.secrets : undefined;
}
