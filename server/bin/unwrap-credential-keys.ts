import { readFile } from "node:fs/promises";
import { STSClient } from "@aws-sdk/client-sts";
import { z } from "zod";
import { signedHeaders } from "#server/agent/registry/aws-signature.ts";
import type { Env } from "#server/env.ts";
import { SpillwayError } from "#server/kernel/errors.ts";

const TIMEOUT_MS = 10_000;
const VARIABLE = "SPILLWAY_CREDENTIAL_KEYS_KMS";
const answerSchema = z.object({ Plaintext: z.base64() });
const refusalSchema = z.object({ __type: z.string(), message: z.string().optional(), Message: z.string().optional() });

type Settings = Pick<Env, "SPILLWAY_CREDENTIAL_KEYS" | "SPILLWAY_CREDENTIAL_KEYS_KMS">;

/**
 * The credential keys: as set, or decrypted by AWS KMS. Undefined: they are in a file. The plain keys stay in the memory of this process.
 * @throws SpillwayError `precondition_failed` when KMS does not decrypt them
 */
export async function unwrapCredentialKeys({
	SPILLWAY_CREDENTIAL_KEYS: given,
	SPILLWAY_CREDENTIAL_KEYS_KMS: wrapped,
}: Settings): Promise<string | undefined> {
	if (!wrapped) return given;
	if (given !== undefined) throw failure("SPILLWAY_CREDENTIAL_KEYS is set too", "Unset one of them.");
	const ciphertext = await readFile(wrapped.ciphertextFile, "utf8").catch((cause: unknown) => {
		throw failure(`cannot read ${wrapped.ciphertextFile}`, "Put the file there, readable by Spillway's user.", cause);
	});
	const body = JSON.stringify({ CiphertextBlob: ciphertext.replace(/\s/g, ""), EncryptionContext: wrapped.context });
	const { Plaintext } = answerSchema.parse(await callKms(wrapped, body));
	return Buffer.from(Plaintext, "base64").toString("utf8");
}

async function callKms({ region, endpoint }: NonNullable<Settings["SPILLWAY_CREDENTIAL_KEYS_KMS"]>, body: string): Promise<unknown> {
	const url = new URL(endpoint ?? `https://kms.${region}.amazonaws.com/`);
	const headers = { "content-type": "application/x-amz-json-1.1", "x-amz-target": "TrentService.Decrypt" };
	const credentials = await credentialsOf(region);
	const at = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
	const signed = signedHeaders({ method: "POST", url, headers, body }, { credentials, region, service: "kms", at });
	const response = await fetch(url, { method: "POST", headers: signed, body, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(
		(cause: unknown) => {
			throw failure(`${url.host} did not respond`, `Check the network path to ${url.host} and start again.`, cause);
		},
	);
	const answer: unknown = await response.json().catch(() => null);
	if (response.ok) return answer;
	const refusal = refusalSchema.safeParse(answer).data;
	const why = refusal ? `${refusal.__type.split("#").at(-1)}: ${refusal.message ?? refusal.Message ?? ""}` : `status ${response.status}`;
	throw failure(
		`AWS KMS refused (${why})`,
		"Allow kms:Decrypt on the key to this host's role, and check region, file and encryption context.",
	);
}

/** By the SDK's chain: environment, profile, web identity or the machine's role. */
async function credentialsOf(region: string) {
	const client = new STSClient({ region });
	try {
		const { accessKeyId, secretAccessKey, sessionToken = null } = await client.config.credentials();
		return { accessKeyId, secretAccessKey, sessionToken };
	} catch (cause) {
		throw failure(
			"this host has no AWS credentials",
			"Give the machine or pod a role, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
			cause,
		);
	} finally {
		client.destroy();
	}
}

function failure(what: string, fix: string, cause?: unknown): SpillwayError {
	return new SpillwayError("precondition_failed", `The credential keys of ${VARIABLE} cannot be used: ${what}.`, {
		fix,
		...(cause === undefined ? {} : { cause }),
	});
}
