/**
 * Names a quantity that more than one screen shows, so that a test can compare them (e2e/truth.spec.ts). The value is exact:
 * micro-dollars, milliseconds, a count.
 */
export function factAttributes(name: string, value: bigint | number | string): Record<`data-fact${string}`, string> {
	return { "data-fact": name, "data-fact-value": String(value) };
}
