import './schema.ts';
