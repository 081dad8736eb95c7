import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import type { ArtifactFiles } from "#server/services/work/artifact/open-file.ts";
import { findRun } from "#server/services/work/metric/tracking.ts";
import { deleteRunArtifacts } from "#server/services/work/run-artifact/delete.ts";
import { logRunArtifact } from "#server/services/work/run-artifact/log.ts";
import { type ArtifactEntry, listRunArtifacts, openRunArtifact } from "#server/services/work/run-artifact/read.ts";
import { sendFile } from "../http/send-file.ts";

/** The artifact proxy of a tracking server; clients reach it by `mlflow-artifacts:` addresses. */
export const ARTIFACTS_PREFIX = "/api/2.0/mlflow-artifacts";
const FILES = `${ARTIFACTS_PREFIX}/artifacts`;

/** The address of a run's artifacts. */
export function artifactUri({ id, experimentId }: { id: string; experimentId: number }): string {
	return `mlflow-artifacts:/${experimentId}/${id}/artifacts`;
}

/** A listed file, with its path relative to the run. */
export function fileInfo({ path, isFolder, bytes }: ArtifactEntry) {
	return isFolder ? { path, is_dir: true } : { path, is_dir: false, file_size: bytes };
}

/** Uploads, downloads, lists and deletes artifacts of runs. Returns the JSON to send; null when a file was sent. */
export async function serveArtifacts(
	ctx: ServiceContext,
	files: ArtifactFiles,
	at: { req: IncomingMessage; res: ServerResponse; body: Readable; url: URL; signal: AbortSignal },
): Promise<object | null> {
	const { req, url } = at;
	const { pathname } = url;
	if (req.method === "GET" && pathname === FILES) return listed(ctx, url.searchParams.get("path") ?? "");
	const target = pathname.startsWith(`${FILES}/`) ? await targetOf(ctx, decoded(pathname.slice(FILES.length + 1))) : null;
	if (target && req.method === "GET") {
		// The client sends its token along a redirect, and newer ones follow none.
		await sendFile(req, at.res, { ...(await openRunArtifact(ctx, files, target)), redirect: null }, at.signal);
		return null;
	}
	if (target && req.method === "DELETE") return deleteRunArtifacts(ctx, files, target).then(() => ({}));
	if (target && req.method === "PUT") {
		const length = req.headers["content-length"];
		await logRunArtifact(ctx, files, { ...target, bytes: length === undefined ? null : Number(length), body: at.body });
		return {};
	}
	throw new SpillwayError("not_found", `${req.method} ${pathname} is not part of the supported tracking API.`);
}

/** Paths are relative to the listed folder. */
async function listed(ctx: ServiceContext, address: string): Promise<object> {
	const { runId, path } = await targetOf(ctx, address.replace(/\/$/, ""));
	const entries = await listRunArtifacts(ctx, runId, path);
	return { files: entries.map((entry) => fileInfo({ ...entry, path: entry.path.slice(path === "" ? 0 : path.length + 1) })) };
}

/** A run and a path in it, from `EXPERIMENT/RUN/artifacts/PATH`. @throws SpillwayError `not_found`, also for another team's run */
async function targetOf(ctx: ServiceContext, address: string): Promise<{ runId: string; path: string }> {
	const [experiment, runId, folder, ...path] = address.split("/");
	const run = runId !== undefined && folder === "artifacts" ? await findRun(ctx, runId, "job:read") : null;
	if (run && String(run.experimentId) === experiment) return { runId: run.id, path: path.join("/") };
	throw new SpillwayError("not_found", `No run has artifacts at ${JSON.stringify(address.slice(0, 200))}.`, {
		fix: "Use the artifact address of a run: mlflow.get_artifact_uri().",
	});
}

function decoded(path: string): string {
	try {
		return decodeURIComponent(path);
	} catch {
		throw new SpillwayError("invalid_input", "The path is not valid percent-encoding.");
	}
}
