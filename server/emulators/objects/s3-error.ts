/** An error as S3 and STS return it. Amazon S3 API Reference, "Error responses". */
export class S3Error extends Error {
	override name = "S3Error";
	readonly status: number;
	readonly code: string;
	constructor(status: number, code: string, message: string) {
		super(message);
		this.status = status;
		this.code = code;
	}
}
