import type { Db } from "../client.ts";

/** Opens connections of the pool. Otherwise requests that start together follow each other on the only open one, and cannot race. */
export async function openConnections(db: Db, count: number): Promise<void> {
	const allOpen = Promise.withResolvers<void>();
	let open = 0;
	const hold = () =>
		db.transaction(async () => {
			if (++open === count) allOpen.resolve();
			await allOpen.promise;
		});
	await Promise.all(Array.from({ length: count }, hold));
}
