import { z } from "zod";
import { S3Error } from "./s3-error.ts";

const oneOrMany = z.union([z.string(), z.array(z.string())]).transform((value) => (Array.isArray(value) ? value : [value]));
const policySchema = z.object({
	Version: z.literal("2012-10-17"),
	Statement: z.array(
		z.strictObject({
			Effect: z.enum(["Allow", "Deny"]),
			Action: oneOrMany,
			Resource: oneOrMany,
			Condition: z.record(z.string(), z.record(z.string(), oneOrMany)).optional(),
		}),
	),
});
export type SessionPolicy = z.output<typeof policySchema>;

/** STS limits the plain text of a session policy. AWS STS API Reference, AssumeRole. */
const POLICY_CHARACTERS_MAX = 2_048;

/** @throws S3Error `MalformedPolicyDocument`, `PackedPolicyTooLarge` */
export function parsePolicy(text: string): SessionPolicy {
	if (text.length > POLICY_CHARACTERS_MAX) throw new S3Error(400, "PackedPolicyTooLarge", "The session policy is too long.");
	try {
		return policySchema.parse(JSON.parse(text));
	} catch {
		throw new S3Error(400, "MalformedPolicyDocument", "The policy is not in the valid format.");
	}
}

/**
 * Whether a session policy allows an action. The only supported condition is StringLike on s3:prefix; any other matches nothing.
 */
export function allows(policy: SessionPolicy, action: string, resource: string, prefix: string | null): boolean {
	const matching = policy.Statement.filter(
		(s) =>
			s.Action.some((pattern) => like(pattern, action)) &&
			s.Resource.some((pattern) => like(pattern, resource)) &&
			Object.entries(s.Condition ?? {}).every(
				([operator, keys]) =>
					operator === "StringLike" &&
					Object.entries(keys).every(([key, values]) => key === "s3:prefix" && prefix !== null && values.some((v) => like(v, prefix))),
			),
	);
	return matching.some((s) => s.Effect === "Allow") && !matching.some((s) => s.Effect === "Deny");
}

function like(pattern: string, text: string): boolean {
	const parts = pattern.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
	return new RegExp(`^${parts.join(".*")}$`, "s").test(text);
}
