import { AssumeRoleCommand, GetFederationTokenCommand, STSClient } from "@aws-sdk/client-sts";
import { z } from "zod";
import { type ConfigOf, joinPath, type OpenStore, type StoreGrant } from "#server/domain/store.ts";
import type { GrantedRemote } from "../store-port.ts";
import { pathIn, s3Options, secretOf } from "./own-remote.ts";

/**
 * AssumeRole allows 15 minutes up to the role's maximum, by default an hour; GetFederationToken up to 36 hours. AWS STS API
 * Reference.
 */
const ROLE_SECONDS = { min: 900, max: 3_600 };
const FEDERATION_SECONDS = { min: 900, max: 129_600 };
/** MinIO and Ceph accept any well-formed role; the keys' own rights and the session policy decide. */
const ANY_ROLE = "arn:aws:iam::000000000000:role/spillway";

const credentials = z.object({
	Credentials: z.object({ AccessKeyId: z.string(), SecretAccessKey: z.string(), SessionToken: z.string(), Expiration: z.date() }),
});

/**
 * Credentials with a session policy for one folder: AssumeRole if the store names a role or is not AWS, else GetFederationToken.
 * @throws Error from the token service
 */
export async function grantS3(store: OpenStore, config: ConfigOf<"s3">, grant: StoreGrant): Promise<GrantedRemote> {
	const { accessKeyId, secretAccessKey } = secretOf(store, "s3");
	const endpoint = config.stsEndpoint ?? (config.provider === "AWS" ? undefined : config.endpoint);
	const client = new STSClient({ region: config.region, credentials: { accessKeyId, secretAccessKey }, ...(endpoint && { endpoint }) });
	const Policy = JSON.stringify(sessionPolicy(config, grant));
	const byRole = config.roleArn !== undefined || config.provider !== "AWS";
	const seconds = clamp(grant.lifetimeMs / 1_000, byRole ? ROLE_SECONDS : FEDERATION_SECONDS);
	try {
		const answer = byRole
			? await client.send(
					new AssumeRoleCommand({
						...{ RoleArn: config.roleArn ?? ANY_ROLE, RoleSessionName: grant.session.slice(0, 64), DurationSeconds: seconds, Policy },
					}),
				)
			: await client.send(new GetFederationTokenCommand({ Name: grant.session.slice(0, 32), DurationSeconds: seconds, Policy }));
		const { Credentials: issued } = credentials.parse(answer);
		const options = { access_key_id: issued.AccessKeyId, secret_access_key: issued.SecretAccessKey, session_token: issued.SessionToken };
		return {
			path: pathIn(store, grant.folder),
			options: { ...s3Options(config), ...options },
			expiresAtMs: issued.Expiration.getTime(),
		};
	} finally {
		client.destroy();
	}
}

/** Permissions of the session: objects below the folder, and listing them. */
export function sessionPolicy(config: Pick<ConfigOf<"s3">, "bucket" | "prefix">, { folder, mode }: Pick<StoreGrant, "folder" | "mode">) {
	const below = joinPath(config.prefix, folder);
	const write = mode === "write" ? ["s3:PutObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"] : [];
	const bucket = `arn:aws:s3:::${config.bucket}`;
	return {
		Version: "2012-10-17",
		Statement: [
			{ Effect: "Allow", Action: ["s3:GetObject", ...write], Resource: `${bucket}/${below}/*` },
			{ Effect: "Allow", Action: ["s3:ListBucket"], Resource: bucket, Condition: { StringLike: { "s3:prefix": [`${below}/*`] } } },
		],
	};
}

function clamp(value: number, { min, max }: { min: number; max: number }): number {
	return Math.round(Math.min(max, Math.max(min, value)));
}
