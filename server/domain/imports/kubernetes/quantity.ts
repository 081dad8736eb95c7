/** A Kubernetes quantity such as `500m`, `64Gi` or `2`, as a plain number; null if it is not one. */
export function quantity(text: string): number | null {
	const match = /^(\d+(?:\.\d+)?)(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi|[eE]\d{1,2})?$/.exec(text);
	if (!match) return null;
	const unit = match[2] ?? "";
	if (/^[eE]/.test(unit)) return Number(`${match[1]}${unit}`);
	const scale = {
		"": 1,
		m: 1e-3,
		k: 1e3,
		M: 1e6,
		G: 1e9,
		T: 1e12,
		P: 1e15,
		Ki: 2 ** 10,
		Mi: 2 ** 20,
		Gi: 2 ** 30,
		Ti: 2 ** 40,
		Pi: 2 ** 50,
	}[unit];
	return scale === undefined ? null : Number(match[1]) * scale;
}
