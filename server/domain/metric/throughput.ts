const UNITS =
	"samples?|examples?|images?|imgs?|tokens?|toks?|steps?|iters?|iterations?|its?|batch(?:es)?|seqs?|sequences?|frames?|words?|items?|records?|rows?|episodes?";
const PER_SECOND = new RegExp(`(?:^|[/._-])(?:(?:${UNITS})(?:/s(?:ec|econd)?|_per_s(?:ec|econd)?)|throughput)$`, "i");
/** Evaluation runs at another speed than training. */
const OF_EVALUATION = /(?:^|[/._-])(?:eval|evaluation|val|valid|validation|test|predict)(?:[/._-]|$)/i;

/** Whether a metric is the speed of training, such as `samples/s`, `train_steps_per_second` or `throughput`. */
export function isThroughput(name: string): boolean {
	return PER_SECOND.test(name) && !OF_EVALUATION.test(name);
}
