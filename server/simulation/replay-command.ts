/** How a run is seen again; the commit is part of it, since code decides too. */
export function replayCommand(seed: number): string {
	return `node server/bin/check-world.ts --seed ${seed}`;
}
