/**
 * What a job waits for, as Slurm writes it (`afterok:12(unfulfilled),afterany:13_4(unfulfilled)`; `?` between two: either is
 * enough), once job `id` has succeeded elsewhere: as it is to be written back. Terms that this fulfils are gone; a list of which
 * one is enough is gone as a whole. Null: nothing in it changes.
 */
export function afterSuccessOf(id: number, dependency: string): string | null {
	const either = dependency.includes("?");
	const terms = dependency.split(/[,?]/).map((term) => term.replace(/\([^)]*\)$/, ""));
	const isFulfilled = (term: string) => new RegExp(`^afterok:${id}(\\+\\d+)?$`).test(term);
	if (!terms.some(isFulfilled)) return null;
	return either ? "" : terms.filter((term) => !isFulfilled(term)).join(",");
}

/** Whether it waits for this job to fail: that it succeeded elsewhere means never. */
export function wantsFailureOf(id: number, dependency: string): boolean {
	return new RegExp(`(^|[,?])afternotok:${id}(?!\\d)`).test(dependency);
}
