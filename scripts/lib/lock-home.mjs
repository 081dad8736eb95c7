import path from "node:path";
import { endLeftovers } from "./children.mjs";
import { takeLock } from "./home.mjs";

/**
 * Takes the lock of a home, and ends what a killed instance left running: it would go on with a database that is replaced.
 * @param {string} home
 * @param {Record<string, unknown>} facts
 * @param {(line: string) => void} say
 * @returns {Promise<ReturnType<typeof takeLock>>}
 */
export async function lockHome(home, facts, say) {
	const lock = takeLock(path.join(home, "spillway.pid"), facts);
	const { instance } = lock.stale ?? {};
	const count = instance ? await endLeftovers(instance) : 0;
	if (count > 0)
		say(
			`The previous run was killed; ${count === 1 ? "one of its programs was" : `${count} of its programs were`} still running and ended now.`,
		);
	return lock;
}
