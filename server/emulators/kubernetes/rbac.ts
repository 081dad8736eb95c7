import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { ApiError } from "./api-error.ts";

const ruleSchema = z.object({ apiGroups: z.array(z.string()), resources: z.array(z.string()), verbs: z.array(z.string()) });
const manifestSchema = z.looseObject({
	kind: z.string(),
	metadata: z.object({ name: z.string(), namespace: z.string().optional() }),
	rules: z.array(ruleSchema).optional(),
});

export interface Grant {
	/** null: in every namespace and for cluster-wide resources. */
	namespace: string | null;
	rules: z.output<typeof ruleSchema>[];
}
/** A user and their permissions. null: all permissions. */
export interface Identity {
	user: string;
	grants: Grant[] | null;
}

/** Parses a manifest's roles into the permissions of a user bound to all of them. */
export function grantsOf(manifest: string): Grant[] {
	const documents = parseAllDocuments(manifest).map((d) => manifestSchema.parse(d.toJS()));
	return documents.flatMap(({ kind, metadata, rules }) => {
		if (!rules) return [];
		return [{ namespace: kind === "ClusterRole" ? null : (metadata.namespace ?? "default"), rules }];
	});
}

export interface Asking {
	verb: string;
	group: string;
	/** With its subresource: `pods/log`. */
	resource: string;
	namespace: string | null;
}

/** @throws ApiError Forbidden with the server's own message */
export function authorize({ user, grants }: Identity, { verb, group, resource, namespace }: Asking): void {
	const may = grants?.some(
		(grant) =>
			(grant.namespace === null || grant.namespace === namespace) &&
			grant.rules.some((r) => r.apiGroups.includes(group) && r.resources.includes(resource) && r.verbs.includes(verb)),
	);
	if (grants === null || may) return;
	const where = namespace === null ? "at the cluster scope" : `in the namespace "${namespace}"`;
	const what = `User "${user}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;
	throw new ApiError(403, "Forbidden", `${resource.split("/")[0]} is forbidden: ${what}`);
}
