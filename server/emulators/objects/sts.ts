import { randomBytes } from "node:crypto";
import { z } from "zod";
import { parsePolicy, type SessionPolicy } from "./policy.ts";
import { S3Error } from "./s3-error.ts";

export interface Session {
	accessKeyId: string;
	secretAccessKey: string;
	token: string;
	endsMs: number;
	/** null: everything that the keys may do. */
	policy: SessionPolicy | null;
}

/** Source: AWS STS API Reference. A role's own maximum is one hour unless its owner raises it. */
const LIMITS = {
	AssumeRole: { seconds: [900, 3_600], nameField: "RoleSessionName", name: /^[\w+=,.@-]{2,64}$/ },
	GetFederationToken: { seconds: [900, 129_600], nameField: "Name", name: /^[\w+=,.@-]{2,32}$/ },
} as const;

const DEFAULT_SECONDS = { AssumeRole: 3_600, GetFederationToken: 43_200 } as const;

const ROLE = /^arn:aws:iam::\d{12}:role\/[\w+=,.@/-]+$/;

/**
 * AssumeRole and GetFederationToken.
 * @throws S3Error with STS's error codes
 */
export function issueSession(form: URLSearchParams, nowMs: number): { session: Session; xml: string } {
	const action = z.enum(["AssumeRole", "GetFederationToken"]).safeParse(form.get("Action"));
	if (!action.success) throw new S3Error(400, "InvalidAction", "Could not find operation.");
	const { seconds, nameField, name } = LIMITS[action.data];
	const lifetime = Number(form.get("DurationSeconds") ?? DEFAULT_SECONDS[action.data]);
	if (!(lifetime >= seconds[0] && lifetime <= seconds[1]))
		throw new S3Error(400, "ValidationError", `DurationSeconds must be between ${seconds[0]} and ${seconds[1]}.`);
	if (!name.test(form.get(nameField) ?? "")) throw new S3Error(400, "ValidationError", `${nameField} is not valid.`);
	if (action.data === "AssumeRole" && !ROLE.test(form.get("RoleArn") ?? ""))
		throw new S3Error(400, "ValidationError", "RoleArn is invalid");
	const policy = form.get("Policy");
	// A federated session without a policy has no permissions.
	const none = action.data === "GetFederationToken" ? { Version: "2012-10-17" as const, Statement: [] } : null;
	const session: Session = {
		accessKeyId: `ASIA${randomBytes(8).toString("hex").toUpperCase()}`,
		secretAccessKey: randomBytes(20).toString("hex"),
		token: randomBytes(60).toString("base64url"),
		endsMs: nowMs + lifetime * 1_000,
		policy: policy === null ? none : parsePolicy(policy),
	};
	const credentials = `<Credentials><AccessKeyId>${session.accessKeyId}</AccessKeyId><SecretAccessKey>${session.secretAccessKey}</SecretAccessKey><SessionToken>${session.token}</SessionToken><Expiration>${new Date(session.endsMs).toISOString()}</Expiration></Credentials>`;
	const xml = `<${action.data}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action.data}Result>${credentials}</${action.data}Result></${action.data}Response>`;
	return { session, xml };
}
