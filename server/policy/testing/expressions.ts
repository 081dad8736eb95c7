import fc from "fast-check";

/** Generates conditions from their grammar: most are well typed, some cannot be evaluated, some are too deep or too large. */

const text = fc.oneof(
	fc.constantFrom("job.name", "job.team", "job.class", "job.image", "job.labels.tier", 'job.labels["pipeline"]', "string(job.gpus)"),
	fc.string({ unit: "binary", maxLength: 5 }).map((s) => JSON.stringify(s)),
	fc.constantFrom('"eu"', "'\\u00e9'", '"\\x41"', '"\\U0001F600"', 'r"\\d"', '""', '"a".lowerAscii()', 'job.name.trim() + "x"'),
);
const number = fc.oneof(
	fc.constantFrom(
		"job.gpus",
		"job.priority",
		"job.dataGiB",
		"job.estimateHours",
		"size(job.labels)",
		"size(job.name)",
		"job.residency.size()",
	),
	fc.constantFrom(
		"0",
		"-1",
		"1.5",
		"9223372036854775807",
		"1e308",
		"1e400",
		"int(job.name)",
		"double('x')",
		"job.gpus / 0",
		"job.gpus % 0",
		"-job.gpus",
	),
	fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
	fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);
const list = fc.constantFrom("job.residency", "job.accelerators", "[]", '["eu", "us"]', "job.residency + job.accelerators", "job.labels");
const flag = fc.constantFrom("job.critical", "job.hasDeadline", "true", "false", "has(job.labels.tier)", '"tier" in job.labels');

const comparison = fc.constantFrom("==", "!=", "<", "<=", ">", ">=");
const part = fc.oneof(
	flag,
	fc.tuple(number, comparison, number).map((parts) => parts.join(" ")),
	fc.tuple(number, fc.constantFrom("+", "-", "*", "/", "%"), number, comparison, number).map((parts) => parts.join(" ")),
	fc.tuple(text, fc.constantFrom("==", "!="), text).map((parts) => parts.join(" ")),
	fc.tuple(text, fc.constantFrom("contains", "startsWith", "endsWith"), text).map(([a, method, b]) => `${a}.${method}(${b})`),
	fc.tuple(text, list).map(([item, of]) => `${item} in ${of}`),
	fc.tuple(list, fc.constantFrom("exists", "all", "exists_one"), text).map(([of, loop, b]) => `${of}.${loop}(x, x == ${b})`),
	fc.tuple(list, number).map(([of, n]) => `size(${of}.filter(x, x != "eu")) > ${n}`),
);

/** Includes depths beyond the parser's limit. */
export const cel: fc.Arbitrary<string> = fc.letrec<{ condition: string }>((tie) => ({
	condition: fc.oneof(
		{ maxDepth: 5, withCrossShrink: true },
		part,
		fc.tuple(tie("condition"), fc.constantFrom("&&", "||"), tie("condition")).map(([a, op, b]) => `(${a}) ${op} (${b})`),
		fc.tuple(tie("condition"), tie("condition"), tie("condition")).map(([a, b, c]) => `(${a}) ? (${b}) : (${c})`),
		tie("condition").map((a) => `!(${a})`),
		fc.tuple(fc.integer({ min: 1, max: 60 }), tie("condition")).map(([n, a]) => `${"(".repeat(n)}${a}${")".repeat(n)}`),
	),
})).condition;
