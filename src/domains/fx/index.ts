import './schema.ts';
import './live.ts';
