import { admitted } from "../admission.ts";
import { ApiError } from "../api-error.ts";
import { deleteObject } from "../deletion.ts";
import { checkJobStatus } from "../job-status.ts";
import type { ApiObject, JobObject, ResourceType } from "../objects.ts";
import { mergePatch, strategicMerge } from "../patches.ts";
import { fieldFilter, labelFilter } from "../selectors.ts";
import type { Store } from "../store.ts";
import { checkObject } from "../wire/check-object.ts";
import type { Route } from "./route.ts";

export interface VerbContext {
	store: Store;
	isOld: boolean;
	/** GPU quota of a namespace; null: no quota. */
	quotaGpus: number | null;
}

export function filterOf(query: URLSearchParams, namespace: string | null): (object: ApiObject) => boolean {
	const byLabel = labelFilter(query.get("labelSelector"));
	const byField = fieldFilter(query.get("fieldSelector"));
	return (object) => (namespace === null || object.metadata.namespace === namespace) && byLabel(object) && byField(object);
}

/** Returns a page. Its continuation is valid until the changes since its first page are forgotten. */
export function list({ store }: VerbContext, { type, namespace }: Route, query: URLSearchParams): unknown {
	const limit = Number(query.get("limit") ?? 0);
	const token = query.get("continue");
	const from = token ? (JSON.parse(Buffer.from(token, "base64url").toString("utf8")) as { version: number; after: string }) : null;
	if (from && from.version < store.oldest) {
		throw new ApiError(410, "Expired", "The provided continue parameter is too old to display a consistent list result.");
	}
	const keyOf = ({ metadata }: ApiObject) => `${metadata.namespace ?? ""}/${metadata.name}`;
	const all = store
		.list(type.plural, null)
		.filter(filterOf(query, namespace))
		.filter((o) => !from || keyOf(o) > from.after);
	const items = limit > 0 ? all.slice(0, limit) : all;
	const last = items.at(-1);
	const version = from?.version ?? store.version;
	const next = last && items.length < all.length ? Buffer.from(JSON.stringify({ version, after: keyOf(last) })).toString("base64url") : "";
	const metadata = { resourceVersion: String(version), ...(next ? { continue: next, remainingItemCount: all.length - items.length } : {}) };
	const apiVersion = type.group ? `${type.group}/${type.version}` : type.version;
	return { kind: `${type.kind}List`, apiVersion, metadata, items };
}

export function create(context: VerbContext, { type, namespace }: Route, query: URLSearchParams, body: unknown): ApiObject {
	const { store, isOld, quotaGpus } = context;
	checkObject(type.kind, body);
	if (namespace !== null && store.get("namespaces", null, namespace) === null) {
		throw new ApiError(404, "NotFound", `namespaces "${namespace}" not found`);
	}
	const object = admitted(type, body as ApiObject, { namespace, isOld });
	if (quotaGpus !== null && type.kind === "Pod") {
		const message = `pods "${object.metadata.name}" is forbidden: exceeded quota: gpus, limited: requests.nvidia.com/gpu=${quotaGpus}`;
		throw new ApiError(403, "Forbidden", message);
	}
	return query.get("dryRun") === "All" ? object : store.create(type, object);
}

export function found({ store }: VerbContext, { type, namespace, name }: Route): ApiObject {
	const object = store.get(type.plural, namespace, name ?? "");
	if (!object) throw new ApiError(404, "NotFound", `${type.plural}${type.group ? `.${type.group}` : ""} "${name}" not found`);
	return object;
}

/** Patches the object, or only its status. */
export function patch(context: VerbContext, route: Route, contentType: string, body: unknown): ApiObject {
	const before = found(context, route);
	const apply = { "application/merge-patch+json": mergePatch, "application/strategic-merge-patch+json": strategicMerge }[contentType];
	if (!apply) throw new ApiError(415, "UnsupportedMediaType", `the body of the request was in an unknown format: ${contentType}`);
	return written(context, route, before, apply(before, body) as ApiObject);
}

/** Replaces the object. Rejected if another version was written in between. */
export function replace(context: VerbContext, route: Route, body: unknown): ApiObject {
	return written(context, route, found(context, route), body as ApiObject);
}

function written({ store, isOld }: VerbContext, route: Route, before: ApiObject, after: ApiObject): ApiObject {
	const { type, subresource } = route;
	checkObject(type.kind, after);
	const { resourceVersion, uid, creationTimestamp } = before.metadata;
	if ((after.metadata.resourceVersion ?? resourceVersion) !== resourceVersion) {
		const message = `Operation cannot be fulfilled on ${type.plural} "${before.metadata.name}": the object has been modified; please apply your changes to the latest version and try again`;
		throw new ApiError(409, "Conflict", message);
	}
	// A status write changes only the status, and an object write everything else.
	const parts = subresource === "status" ? { ...before, status: statusOf(after) } : { ...after, status: statusOf(before) };
	if (subresource === null) checkUnchanged(type, before, after, isOld);
	if (subresource === "status" && type.kind === "Job" && !isOld) checkJobStatus(before as JobObject, parts as JobObject);
	const metadata = { ...(subresource === "status" ? before.metadata : after.metadata), uid, creationTimestamp, resourceVersion };
	const kept = {
		deletionTimestamp: before.metadata.deletionTimestamp,
		deletionGracePeriodSeconds: before.metadata.deletionGracePeriodSeconds,
	};
	const whole = { ...parts, metadata: { ...metadata, ...(kept.deletionTimestamp ? kept : {}) } } as ApiObject;
	if (type.hasStatus) return store.update(type.plural, whole);
	const { status: _, ...bare } = whole as ApiObject & { status?: unknown };
	return store.update(type.plural, bare);
}

function statusOf(object: ApiObject): unknown {
	return (object as { status?: unknown }).status;
}

/** Fields of a Job or pod that can no longer be changed. */
function checkUnchanged(type: ResourceType, before: ApiObject, after: ApiObject, isOld: boolean): void {
	const spec = (o: ApiObject) => (o as { spec?: Record<string, unknown> }).spec ?? {};
	const mayChange =
		type.kind === "Job"
			? ["parallelism", "backoffLimit", "activeDeadlineSeconds", ...(isOld ? [] : ["suspend"])]
			: ["activeDeadlineSeconds", "schedulingGates"];
	if (type.kind !== "Job" && type.kind !== "Pod") return;
	const keys = new Set([...Object.keys(spec(before)), ...Object.keys(spec(after))]);
	const changed = [...keys].find((k) => !mayChange.includes(k) && JSON.stringify(spec(before)[k]) !== JSON.stringify(spec(after)[k]));
	if (changed) throw new ApiError(422, "Invalid", `${type.kind} "${before.metadata.name}" is invalid: spec.${changed}: field is immutable`);
}

export function remove(context: VerbContext, route: Route, query: URLSearchParams, body: unknown): ApiObject {
	const options = (body ?? {}) as { gracePeriodSeconds?: number; preconditions?: { uid?: string } };
	if (body !== null) checkObject("DeleteOptions", body);
	const object = found(context, route);
	if (options.preconditions?.uid && options.preconditions.uid !== object.metadata.uid) {
		throw new ApiError(409, "Conflict", `the UID in the precondition (${options.preconditions.uid}) does not match`);
	}
	const asked = options.gracePeriodSeconds ?? (query.has("gracePeriodSeconds") ? Number(query.get("gracePeriodSeconds")) : null);
	return deleteObject(context.store, route.type.plural, object, asked);
}
