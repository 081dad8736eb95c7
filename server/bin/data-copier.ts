import { rcloneOfHost } from "#server/agent/rclone/find.ts";
import { deleteData, type PushOptions, pushData, sizeOfData } from "#server/agent/rclone/push.ts";
import { remoteOf } from "#server/agent/rclone/source.ts";
import { readRemotes } from "#server/agent/read-remotes.ts";
import { StagingError } from "#server/agent/safe-path.ts";
import type { DataCopier } from "#server/control-loop/copies-ahead.ts";
import { dataAddressOf } from "#server/domain/data-address.ts";
import type { DataRemotes } from "#server/domain/data-remotes.ts";

/** Copies with this host's rclone. The remotes file is read for each copy, so that credentials can be changed. */
export function dataCopier(remotesFile: string | undefined): DataCopier {
	const optionsFor = async (signal: AbortSignal): Promise<PushOptions> => ({
		remotes: await readRemotes(remotesFile),
		rclone: rcloneOfHost,
		signal,
	});
	return {
		copy: async (from, to, signal, onBytes) => pushData(from, to, { ...(await optionsFor(signal)), ...(onBytes && { onBytes }) }),
		add: async (from, to, signal) => {
			const options = await optionsFor(signal);
			requireRemote(to, options.remotes);
			return pushData(from, to, { ...options, deletesOthers: false });
		},
		size: async (uri, signal) => sizeOfData(uri, await optionsFor(signal)),
		remove: async (uri, signal) => deleteData(uri, await optionsFor(signal)),
	};
}

/**
 * Jobs choose these targets, so this host's own identity is not used for them.
 * @throws StagingError
 */
function requireRemote(uri: string, remotes: DataRemotes): void {
	const address = dataAddressOf(uri);
	if (remoteOf(address, remotes)) return;
	throw new StagingError(`there is no data remote "${address.remote}". An administrator can add it, see docs/data.md`);
}
