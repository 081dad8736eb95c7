import { RESOURCE_TYPES, type ResourceType } from "../objects.ts";

export interface Route {
	type: ResourceType;
	namespace: string | null;
	name: string | null;
	subresource: string | null;
}

/** Parses paths such as `/api/v1/namespaces/x/pods/y/log` and `/apis/batch/v1/jobs`. Returns null for an unknown path. */
export function routeOf(path: string): Route | null {
	const parts = path.split("/").filter(Boolean).map(decodeURIComponent);
	const [group, version, rest] = parts[0] === "api" ? ["", parts[1], parts.slice(2)] : [parts[1] ?? "", parts[2], parts.slice(3)];
	if (parts[0] !== "api" && parts[0] !== "apis") return null;
	const inNamespace = rest[0] === "namespaces" && rest.length > 2;
	const [plural, name = null, subresource = null, ...more] = inNamespace ? rest.slice(2) : rest;
	const type = RESOURCE_TYPES.find((t) => t.plural === plural && t.group === group && t.version === version);
	if (!type || more.length > 0 || (inNamespace && !type.isNamespaced)) return null;
	return { type, namespace: inNamespace ? (rest[1] ?? null) : null, name, subresource };
}

/** The server's discovery document. Undefined if the path is no discovery path. */
export function discoveryOf(path: string, server: { minor: number; groups: readonly string[] }): unknown {
	const gitVersion = `v1.${server.minor}.0`;
	const groupVersion = (name: string) => {
		const version = RESOURCE_TYPES.find(({ group }) => group === name)?.version ?? "v1";
		return { groupVersion: `${name}/${version}`, version };
	};
	const known = ["batch", "coordination.k8s.io", ...server.groups];
	switch (path) {
		case "/version":
			return { major: "1", minor: String(server.minor), gitVersion, platform: "linux/amd64" };
		case "/api":
			return { kind: "APIVersions", versions: ["v1"] };
		case "/apis":
			return {
				kind: "APIGroupList",
				apiVersion: "v1",
				groups: known.map((name) => ({ name, versions: [groupVersion(name)], preferredVersion: groupVersion(name) })),
			};
		case "/api/v1":
			return resources("v1", "");
		case "/apis/batch/v1":
			return resources("batch/v1", "batch");
		default:
			return undefined;
	}
}

function resources(groupVersion: string, group: string): unknown {
	const list = RESOURCE_TYPES.filter((t) => t.group === group).map(({ plural, kind, isNamespaced }) => {
		const verbs = ["create", "delete", "get", "list", "patch", "update", "watch"];
		return { name: plural, singularName: "", namespaced: isNamespaced, kind, verbs };
	});
	return { kind: "APIResourceList", groupVersion, resources: list };
}
