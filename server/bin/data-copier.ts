import { rcloneOfHost } from "#server/agent/rclone/find.ts";
import { deleteData, type PushOptions, pushData } from "#server/agent/rclone/push.ts";
import { readRemotes } from "#server/agent/read-remotes.ts";
import type { DataCopier } from "#server/control-loop/copies-ahead.ts";

/** Copies by this host's rclone; the remotes' file is read again each time, so that credentials can be changed. */
export function dataCopier(remotesFile: string | undefined): DataCopier {
	const optionsFor = async (signal: AbortSignal): Promise<PushOptions> => ({
		remotes: await readRemotes(remotesFile),
		rclone: rcloneOfHost,
		signal,
	});
	return {
		copy: async (from, to, signal) => pushData(from, to, await optionsFor(signal)),
		add: async (from, to, signal) => pushData(from, to, { ...(await optionsFor(signal)), deletesOthers: false }),
		remove: async (uri, signal) => deleteData(uri, await optionsFor(signal)),
	};
}
